from __future__ import annotations

import pytest

from fabula.text.segment.headings import numbered_headings
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document

MINUTES = """Present: A. Brook, C. Dunn

1. Summer fair
The fair is on Saturday. Ann has booked the hall.

2. Break-in at the shed
Somebody forced the lock on Friday.

4. Any other business
The crossing still has no lights."""


def headings(text: str) -> list[str]:
    sentences = split_sentences(text)
    return [sentences[at].text for at in numbered_headings(sentences)]


def test_items_of_minutes() -> None:
    assert headings(MINUTES) == [
        "1. Summer fair",
        "2. Break-in at the shed",
        "4. Any other business",
    ]
    agenda = MINUTES.replace("1.", "Item 1:").replace("2.", "Item 2:").replace("4.", "Item 3:")
    assert headings(agenda) == [
        "Item 1: Summer fair",
        "Item 2: Break-in at the shed",
        "Item 3: Any other business",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. Summer fair\nThe fair is on Saturday.",  # one alone
        "1. The lock was forced.\n2. The mower was taken.",  # sentences of a list
        "1. Bread\n2. Milk\n3. Eggs",  # a list without prose
        "3. Summer fair\nIt is on Saturday.\n2. Shed\nIt was forced.",  # not rising
        "12 Main Street\nWe met there.\n14 Main Street\nNobody came.",  # addresses
        "It rained. 1. Fair\nSo it was. 2. Shed\nThe lock was forced.",  # not alone on a line
        "",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert headings(text) == []


def test_lines_count_within_a_paragraph() -> None:
    document = Document("a", ("1. Fair", "It rains.", "2. Shed", "It leaks."), lines=())
    sentences = split_sentences(document)
    assert numbered_headings(sentences) == [0, 2]
