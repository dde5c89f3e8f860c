"""spaCy is imported without torch, and torch can be imported afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_torch_is_not_imported_with_spacy_and_can_be_imported_later() -> None:
    pytest.importorskip("torch")
    code = (
        "import sys; from fabula.text.parse.pipeline import import_spacy; import_spacy(); "
        "print('torch' in sys.modules); import torch; print(torch.ones(2).sum().item())"
    )
    assert run(code).split() == ["False", "2.0"]


def test_a_spacy_that_is_there_already_is_left_as_it_is() -> None:
    code = (
        "import sys, spacy; before = 'torch' in sys.modules; "
        "from fabula.text.parse.pipeline import import_spacy; "
        "print(import_spacy() is spacy, ('torch' in sys.modules) == before)"
    )
    assert run(code).split() == ["True", "True"]
