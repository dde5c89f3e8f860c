"""Where chains come from: chain files, texts, and how they are told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.events.formats.sources import chains_from, holds_text

CHAIN = {"document": "d", "entity": "Jon", "events": [{"verb": "flee", "slot": "subj"}]}


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.jsonl", json.dumps(CHAIN), False),
        ("a.jsonl", json.dumps({"events": [], "hole": 0}), False),
        ("a.jsonl", json.dumps({"id": "1", "text": "Jon fled."}), True),
        ("a.jsonl", "", False),
        ("a.txt", "\nJon fled. He came back.\n", True),
        ("a.txt", "<DOCNAME>d\nflee->nsubj hide->nsubj\n", False),
        ("a.txt", "flee->nsubj hide->nsubj\n", False),  # and the reader says what is missing
        ("a.md", "# Jon\n\nJon fled.\n", True),
        ("a.json", "{}", False),  # CoreNLP's
        ("chains", "<DOCNAME>d\nflee->nsubj\n", False),
    ],
)
def test_texts_are_told_from_chains(tmp_path: Path, name: str, content: str, text: bool) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert holds_text(path) is text


def test_packaged_corpora_are_texts(tmp_path: Path) -> None:
    assert holds_text("sample")
    assert not holds_text(tmp_path / "nothing.jsonl")


def test_chains_are_extracted_from_a_text(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("The police arrested Jon. He escaped.\n")
    (chain,) = chains_from(path)
    assert [str(event) for event in chain.events] == ["arrest->obj", "escape->subj"]
