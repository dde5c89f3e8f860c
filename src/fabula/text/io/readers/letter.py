"""Letters as plain text: paragraphs in, those of the letter and its salutation and closing out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from fabula.text.io.readers.mail.parts import Line
from fabula.text.io.readers.mail.signatures import kinds_of
from fabula.types import Aside

__all__ = ["is_salutation", "without_salutation"]

_SALUTATION = re.compile(
    r"(?:My )?(?:[Vv]ery )?[Dd]ear(?:est)?\b[^.?!]{0,50}[,!:;–—-]?|To whom it may concern[,:]?|"
    r"(?:Gentlemen|Sirs?|Madam)[,:]"
)

Paragraphs = Sequence[tuple[int, str]]


def is_salutation(text: str) -> bool:
    """Whether a line addresses somebody, as letters begin.

    >>> is_salutation("My dear Anne,"), is_salutation("Dear Anne, I am well.")
    (True, False)
    """
    return _SALUTATION.fullmatch(text.strip()) is not None


def without_salutation(paragraphs: Paragraphs) -> tuple[list[tuple[int, str]], list[Aside]]:
    """The paragraphs (line, text) of a text and, where it begins as a letter does, apart from them
    its salutation and what is signed below it, found as in a mail."""
    if not paragraphs or not is_salutation(paragraphs[0][1].split("\n", 1)[0]):
        return list(paragraphs), []
    lines: list[Line] = []
    for number, text in paragraphs:
        lines += [Line(row, number + at) for at, row in enumerate(text.split("\n"))]
        lines.append(Line("", lines[-1].number + 1))
    kept, asides = list[tuple[int, str]](), list[Aside]()
    marked = zip(kinds_of(lines), lines, strict=True)
    for (kind, filled), group in groupby(
        marked, key=lambda row: (row[0], bool(row[1].text.strip()))
    ):
        rows = [line for _, line in group]
        text = "\n".join(row.text for row in rows).strip()
        if kind and filled:
            asides.append(Aside(kind, text, rows[0].number))
        elif filled:
            kept.append((rows[0].number, text))
    return (kept, asides) if kept else (list(paragraphs), [])
