"""The layout of PDF pages: placed lines in, paragraphs, running heads and page numbers out.

A PDF holds lines at places, not paragraphs. Lines that were written across two columns are put in
the columns' order; lines that repeat at the top or bottom of pages are running heads; a paragraph
ends at a wide gap, a short last line or a heading; a word divided at the end of a line is joined.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from fabula.types import Aside

__all__ = ["PlacedLine", "paragraphs_of_pages"]

_PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\W*", re.IGNORECASE
)
_ENDED = re.compile(r"[.!?…:][\"'”’)\]]*$")
_LIST_ITEM = re.compile(r"(?:[-*•‣◦▪·–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s")
_WORD = re.compile(r"[\w-]+")  # "\w+(?:-\w+)+" takes quadratic time on a long word
_DIVIDED = re.compile(r"(\w+)-$")
_LONGEST = 100  # characters of a word that may be divided
_GAP = 1.4  # times the usual distance of lines
_EDGE = 2  # lines at the top and at the bottom of a page that may be running heads
_SAME_LINE = 2.0  # points


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page at its place, in points from the lower left corner."""

    text: str
    x: float
    y: float


Pages = Sequence[Sequence[PlacedLine]]


def paragraphs_of_pages(pages: Pages) -> tuple[list[tuple[int, str]], list[Aside]]:
    """The paragraphs with the number of the page on which each begins, and what is set aside."""
    running = _running_heads(pages)
    asides: list[Aside] = []
    blocks: list[tuple[int, list[str]]] = []
    for number, page in enumerate(pages, 1):
        kept = []
        heights = _heights(page)
        for line in page:
            edge = _edge(heights, line)
            kind = "header" if edge == "top" else "footer"
            if edge and (_PAGE_NUMBER.fullmatch(line.text) or _shape(line.text) in running):
                asides.append(Aside(kind, line.text, number))
            else:
                kept.append(line)
        lines = _in_columns(kept)
        blocks.extend((number, block) for block in _blocks(lines))
    compounds = {word.lower() for page in pages for line in page for word in _words(line.text)}
    joined: list[tuple[int, str]] = []
    for number, block in blocks:
        text = _join(block, compounds)
        if joined and _goes_on(joined[-1], number, text):
            begun, before = joined[-1]
            joined[-1] = (begun, _join([before, text], compounds))
        else:
            joined.append((number, text))
    return [(number, text) for number, text in joined if text], asides


def _words(text: str) -> list[str]:
    """The hyphenated words that stand inside a line, which show how they are written."""
    return [word for found in _WORD.findall(text) if "-" in (word := found.strip("-"))]


def _shape(text: str) -> str:
    """A line without its numbers, so that "Report 3" and "Report 4" are the same head."""
    return re.sub(r"\d+", "#", " ".join(text.split()).lower())


def _heights(page: Sequence[PlacedLine]) -> list[float]:
    return sorted(line.y for line in page)


def _edge(heights: Sequence[float], line: PlacedLine) -> str:
    """``top`` or ``bottom`` when few of a page's sorted heights are above or below a line."""
    if len(heights) - bisect_right(heights, line.y + _SAME_LINE) < _EDGE:
        return "top"
    return "bottom" if bisect_left(heights, line.y - _SAME_LINE) < _EDGE else ""


def _running_heads(pages: Pages) -> set[str]:
    """Shapes of lines at the edges of at least half of the pages, and of two."""
    counts: Counter[str] = Counter()
    for page in pages:
        heights = _heights(page)
        counts.update({_shape(line.text) for line in page if _edge(heights, line)})
    return {shape for shape, n in counts.items() if n >= 2 and 2 * n >= len(pages)}


def _in_columns(lines: list[PlacedLine]) -> list[PlacedLine]:
    """The lines as they were written, unless that was across two columns: then by column.

    Across columns means that line after line another follows it at the same height to the right.
    """
    if len(lines) < 6:
        return lines
    across = [(a, b) for a, b in pairwise(lines) if abs(a.y - b.y) < _SAME_LINE and b.x > a.x + 60]
    if 4 * len(across) < len(lines):
        return lines
    border = min(b.x for _, b in across) - 5
    left = [line for line in lines if line.x < border]
    right = [line for line in lines if line.x >= border]
    if min(len(left), len(right)) < 3:
        return lines
    highest = max(line.y for line in right)
    top = highest + _SAME_LINE
    above = [line for line in left if line.y > top]  # a heading across both
    return [*above, *(line for line in left if line.y <= top), *right]


def _blocks(lines: Sequence[PlacedLine]) -> Iterator[list[str]]:
    """The lines of each paragraph."""
    gaps = [a.y - b.y for a, b in pairwise(lines) if 0 < a.y - b.y < 60]
    usual = median(gaps) if gaps else 0.0
    width = median(sorted(len(line.text) for line in lines)[len(lines) // 2 :]) if lines else 0
    block: list[str] = []
    for line, after in pairwise([*lines, PlacedLine("", 0.0, 0.0)]):
        block.append(line.text)
        gap = line.y - after.y
        starts = after.text[:1]
        short = len(line.text) < 0.8 * width
        ends = (
            not after.text
            or (usual and gap > _GAP * usual)
            or ((short or gap < 0) and _ENDED.search(line.text) is not None)
            or _LIST_ITEM.match(after.text) is not None
            or (len(line.text) < 0.6 * width and not starts.islower())
        )
        if ends:
            yield block
            block = []


def _join(lines: Sequence[str], compounds: set[str]) -> str:
    """Lines as running text: "extra-" and "ordinary" is one word, "well-" and "known" keeps "-"."""
    text = ""
    for line in lines:
        line = " ".join(line.replace("\u00ad", "-" if line.endswith("\u00ad") else "").split())
        divided = _DIVIDED.search(text[-_LONGEST:])
        if divided and line[:1].islower():
            rest = re.match(r"\w+", line)
            whole = f"{divided[1]}-{rest[0] if rest else ''}".lower()
            text = text + line if whole in compounds else text[:-1] + line
        else:
            text = f"{text} {line}" if text else line
    return text


def _goes_on(before: tuple[int, str], page: int, text: str) -> bool:
    """Whether a paragraph goes on at the top of the next page or column."""
    return not _ENDED.search(before[1]) and text[:1].islower() and page - before[0] <= 1
