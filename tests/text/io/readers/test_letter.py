from __future__ import annotations

from pathlib import Path

import pytest
from tests.text.io.readers.files import put, read

from fabula.text.io.readers.letter import is_salutation, without_salutation

LETTER = """Camp near Falmouth, 17 December 1862

My dear Anne,

We crossed the river on Thursday.
Captain Rowe fell beside me.

Tell Mother that William is safe.

Your loving brother,
Edward Hale
"""


def test_a_letter(tmp_path: Path) -> None:
    (document,) = read(put(tmp_path, "a.txt", LETTER))
    assert document.paragraphs == (
        "We crossed the river on Thursday.\nCaptain Rowe fell beside me.",
        "Tell Mother that William is safe.",
    )
    assert (document.title, document.date, document.lines) == (None, "1862-12-17", (5, 8))
    assert [(part.kind, part.line) for part in document.aside] == [
        ("dateline", 1),
        ("greeting", 3),
        ("signature", 10),
    ]


@pytest.mark.parametrize(
    "text",
    ["Dear Anne,", "It rained.\n\nYour brother,\nEd", "Dear me! It rained.\nWe stayed in."],
)
def test_what_is_no_letter(text: str) -> None:
    paragraphs = [(1, text)]
    assert without_salutation(paragraphs) == (paragraphs, [])


def test_salutations() -> None:
    assert is_salutation("Dear Sir or Madam:") and is_salutation("To whom it may concern")
    assert not is_salutation("Dearborn burned.")
