"""Which line breaks end a sentence: is a paragraph wrapped prose, or one thing a line?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

__all__ = ["LineBreaks", "margin_of", "units"]

LineBreaks = Literal["auto", "wrap", "end"]

_LIST_ITEM = re.compile(r"(?:[-*+•‣◦·>]|\(?\d{1,3}[.)]|\(?(?:[a-zA-Z]|[ivx]{1,4})\))\s")
_UNFINISHED = re.compile(
    r"(?:[,;–—-]|\b(?:an?|and|as|at|but|by|for|from|in|into|of|on|or|that|the|to|with))$"
)
_ENDED = re.compile(r"[.!?…:][\"'”’»)\]}*]*$")

_BEFORE_A_NAME = re.compile(
    r"\b(?:[A-Z]|Mrs?|Ms|Drs?|Prof|Rev|Hon|Fr|St|Gov|Sen|Reps?|Gen|Maj|Col|Lt|Capt|Cmdr|Adm|Sgt|Cpl)"
    r"\.$"
)
# A line that begins with a time, as in a log or a chat, or with who speaks; a row of a table.
_ENTRY = re.compile(
    r"\[?(?:\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4})?[T,]? ?\d{1,2}[:.]\d\d(?:[:.]\d\d)?"
    r"(?: ?[AaPp]\.?[Mm]\b\.?)?\]?(?:\s|:|-)|\[?\d{4}-\d\d-\d\d\]?[:,]?\s|"
    r"<?@?[A-Z][\w.'’-]{0,20}(?: [A-Z][\w.'’-]{0,20}){0,2}>?:\s"
)
_ROW = re.compile(r"\S(?:\t+|\s*\|\s*|\s{3,})\S")

_NARROW = 40  # characters; narrower lines of like length may as well be messages
_FULL = 0.85  # of the widest line: the next word would have passed the margin
_SHORT = 0.7  # of the widest line: even with the next word, so the break was meant
_FEWEST_WRAPPED = 2  # paragraphs that show a document's margin


def units(
    text: str, line_breaks: LineBreaks, margin: int | None = None
) -> Iterator[tuple[int, str]]:
    """Stretches of text that layout does not divide, and where each starts.

    Blank lines are in none of them. ``margin`` is that of the document the text is of.

    >>> list(units("one\\ntwo\\n\\nthree", "wrap"))
    [(0, 'one\\ntwo\\n'), (9, 'three')]
    """
    at, paragraph = 0, list[str]()
    for line in [*text.splitlines(keepends=True), ""]:
        if line.strip():
            paragraph.append(line)
            continue
        first = 0
        for last in _last_lines(paragraph, line_breaks, margin):
            unit = "".join(paragraph[first : last + 1])
            yield at, unit
            at, first = at + len(unit), last + 1
        at += len(line)
        paragraph.clear()


def margin_of(texts: Iterable[str]) -> int | None:
    """The width at which a document is wrapped, as the paragraphs show that are surely wrapped.

    A paragraph of two or three lines may show nothing by itself: each may begin with a name.
    """
    widths = []
    for text in texts:
        for paragraph in re.split(r"\n[^\S\n]*\n", text):
            lines = [line for line in paragraph.splitlines() if line.strip()]
            widest = max((len(line.rstrip()) for line in lines), default=0)
            if widest < _NARROW or len(lines) < 2:
                continue
            found = _breaks(lines)
            goes_on = any(one.goes_on and not one.before_item for one in found)
            if goes_on and _wrapped(found, widest):
                widths.append(widest)
    return max(widths) if len(widths) >= _FEWEST_WRAPPED else None


def _last_lines(lines: Sequence[str], line_breaks: LineBreaks, margin: int | None) -> list[int]:
    """The lines of a paragraph with which a unit ends; the last line is always one."""
    last = len(lines) - 1
    if last < 1 or line_breaks == "wrap":
        return [last] if lines else []
    if line_breaks == "end":
        return list(range(last + 1))
    bodies = [line.strip() for line in lines]
    breaks = _breaks(lines)
    if entries := _entries(bodies):
        fresh = [i for i, found in enumerate(breaks) if i + 1 in entries or not found.goes_on]
        return [*fresh, last]
    widest = max(len(line.rstrip()) for line in lines)
    within = margin is not None and widest <= margin and _full_to(lines, margin)
    if not (within or _wrapped(breaks, widest)) or _whole_lines(bodies, breaks):
        return list(range(last + 1))
    return [i for i, found in enumerate(breaks) if found.meant] + [last]


def _breaks(lines: Sequence[str]) -> list[_Break]:
    """The line breaks inside a paragraph."""
    bodies = [line.strip() for line in lines]
    widths = [len(line.rstrip()) for line in lines]
    widest = max(widths, default=0)
    return [
        _Break(
            length=_length(width, after, widest),
            goes_on=after[0].islower() or _UNFINISHED.search(before) is not None,
            ended=_ENDED.search(before) is not None,
            before_item=_LIST_ITEM.match(after + " ") is not None,
        )
        for width, (before, after) in zip(widths, pairwise(bodies), strict=False)
    ]


def _length(width: int, after: str, widest: int) -> float:
    """The length of a line had the next word stayed on it, as a share of the widest."""
    return (width + 1 + len(after.split(None, 1)[0])) / widest


def _full_to(lines: Sequence[str], margin: int) -> bool:
    """Whether each line is as long as the margin allows: the next word would have passed it."""
    return all(_length(len(line.rstrip()), after, margin) > 1 for line, after in pairwise(lines))


def _whole_lines(bodies: Sequence[str], breaks: Sequence[_Break]) -> bool:
    """Whether every line ends a sentence, or most are rows of a table: no margin does that."""
    rows = sum(_ROW.search(body) is not None for body in bodies)
    ended = len(breaks) > 1 and all(
        found.ended and not found.goes_on and not _BEFORE_A_NAME.search(body)
        for found, body in zip(breaks, bodies, strict=False)
    )
    return ended or (len(bodies) > 1 and rows > 0.7 * len(bodies))


def _entries(bodies: Sequence[str]) -> set[int]:
    """The lines that begin an entry of a log or a speaker's turn, if the paragraph is of those."""
    entries = {i for i, body in enumerate(bodies) if _ENTRY.match(body)}
    return entries if 0 in entries and len(entries) > 1 else set()


class _Break(NamedTuple):
    """A line break inside a paragraph."""

    length: float  # of the line had the next word stayed on it; the widest line is 1
    goes_on: bool  # in the middle of a sentence, by the words around it
    ended: bool  # after closing punctuation
    before_item: bool

    @property
    def meant(self) -> bool:
        """Even in wrapped prose: a new list item, or a line left short before a fresh start."""
        fresh = not (self.goes_on or self.ended)
        return self.before_item or (fresh and self.length < _SHORT)


def _wrapped(breaks: Sequence[_Break], widest: int) -> bool:
    """Whether a paragraph is prose wrapped at a margin.

    Then nearly every line was full, and most lines end in the middle of a sentence.
    """
    breaks = [found for found in breaks if not found.before_item]
    full = sum(found.length > _FULL for found in breaks)
    undecided = [found for found in breaks if not found.ended]
    return (
        (widest >= _NARROW or len(breaks) >= 4)
        and full >= 0.75 * len(breaks)
        and 2 * sum(found.goes_on for found in undecided) >= len(undecided)
    )
