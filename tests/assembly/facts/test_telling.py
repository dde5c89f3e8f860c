"""Sentences of chats that tell an event, and those that tell nothing."""

from __future__ import annotations

import pytest

from fabula.assembly.facts.reading import read_sentences
from fabula.assembly.facts.telling import tells_event

TELLING = [
    "Just left Aldermouth, Ben and I have the new scores",
    "We've hit something!!",
    "Pager just went, I'm off to the lifeboat",
    "A helicopter has just winched Edith up",
    "Last ones are ashore.",
    "She says her name is Edith",
    "The tug pulled her off just now",
]
SILENT = [
    "WHAT?",
    "Are you both all right?",
    "Yes.",
    "Thank God.",
    "Me, the lemon one",
    "hello all",
    "I see",
    "I think so",
    ":D",
    "Did the boat leave?",
    "please stop that",
]


@pytest.mark.parametrize(("texts", "expected"), [(TELLING, True), (SILENT, False)])
def test_a_clause_about_somebody_tells_an_event(texts: list[str], expected: bool) -> None:
    told = {reading.text: reading.parsed for reading in read_sentences(texts)}
    wrong = [text for text, parsed in told.items() if parsed and tells_event(parsed) != expected]
    assert wrong == []
