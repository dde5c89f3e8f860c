"""A new user follows the quickstart, and nothing else, in an empty folder."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.pages import ROOT, SHELL, blocks

PAGE = ROOT / "docs" / "quickstart.md"
pytestmark = pytest.mark.slow  # six commands, each a process that loads its models


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the quickstart's shell blocks were run, as one script, by a real shell."""
    bash = shutil.which("bash")
    program = Path(sys.executable).with_name("fabula")
    if bash is None or not program.exists():
        pytest.skip("needs bash, and fabula installed beside this Python")
    folder = tmp_path_factory.mktemp("quickstart")
    script = "\n".join(block.text for block in blocks(PAGE, *SHELL) if not block.why_not)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    done = subprocess.run(
        [bash, "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "printed").write_text(done.stdout, encoding="utf-8")
    return folder


def test_a_file_is_untangled(folder: Path) -> None:
    page = (folder / "accounts.html").read_text(encoding="utf-8")
    for sentence in (folder / "pile.txt").read_text(encoding="utf-8").splitlines():
        assert sentence.split("'")[0] in page
    printed = (folder / "printed").read_text(encoding="utf-8")
    assert "Story 1" in printed and "Story 2" in printed


def test_an_encoder_is_evaluated(folder: Path) -> None:
    printed = (folder / "printed").read_text(encoding="utf-8")
    assert "joint:minilm" in printed and "context_gain" in printed
    assert len(list((folder / "runs").iterdir())) == 2


def test_a_data_set_is_audited(folder: Path) -> None:
    printed = (folder / "printed").read_text(encoding="utf-8")
    assert "48 items" in printed and (folder / "audit.html").stat().st_size > 1000


def test_the_same_in_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder the shell left, as a reader goes down the page."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"__name__": "quickstart"}
    printed = io.StringIO()
    for block in blocks(PAGE, "python"):
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, block.where, "exec"), names)
    assert len(names["found"].stories) == 2
    assert "right in 0." in printed.getvalue()
    assert names["audit"].verdict == "clean"
