"""The line in an HTML source of each piece of its text, found by aligning words.

The parser keeps no positions, so the words between the tags of the source are listed with their
lines, and the words of the tree are looked up in that list, always forward.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right

__all__ = ["SourceLines"]

_TAG = re.compile(r"<!--|<(script|style)\b|<[^<>]*>", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NEAR = 12  # words: text that the parser put elsewhere
_FAR = 4000  # words: text that the parser left out


class SourceLines:
    """The words of a source with their lines, and how far they have been looked up."""

    def __init__(self, source: str) -> None:
        self._words: list[str] = []
        self._lines: list[int] = []
        self._next = 0
        ends = [match.end() for match in re.finditer(r"\n", source)]
        for start, end in _text_spans(source):
            # An entity is shorter as a character, so lines are those before unescaping.
            for match in _WORD.finditer(html.unescape(source[start:end])):
                self._words.append(match[0])
            added = len(self._words) - len(self._lines)
            if added:
                piece = source[start:end]
                self._lines.extend(_lines_of(piece, start, ends, added))

    def find(self, text: str) -> int:
        """The line on which a text begins that stands behind all that were looked up before."""
        first = 0
        for word in _WORD.findall(text):
            place = self._place(word)
            if place is None:
                continue
            first = first or self._lines[place]
            self._next = place + 1
        if first:
            return first
        if not self._lines:
            return 1
        return self._lines[min(self._next, len(self._lines) - 1)]

    def _place(self, word: str) -> int | None:
        far = self._next + (_FAR if len(word) > 4 else _NEAR)
        for reach in (self._next + _NEAR, far):
            try:
                return self._words.index(word, self._next, reach)
            except ValueError:
                continue
        return None


def _lines_of(piece: str, start: int, ends: list[int], count: int) -> list[int]:
    """The lines of the words of a piece of source; of fewer or more words, as far as they go."""
    lines = [
        bisect_right(ends, start + match.start()) + 1
        for match in _WORD.finditer(re.sub(r"&#?\w{1,32};", lambda m: " " * len(m[0]), piece))
    ]
    if len(lines) == count:
        return lines
    # An entity is a letter of a word: the lines are those of the piece, spread over its words.
    first, last = bisect_right(ends, start) + 1, bisect_right(ends, start + len(piece)) + 1
    if first == last or not lines:
        return [first] * count
    return [lines[min(number * len(lines) // count, len(lines) - 1)] for number in range(count)]


def _text_spans(source: str) -> list[tuple[int, int]]:
    """Where the source holds text: not tags, comments, scripts or styles. Takes linear time."""
    spans, at = [], 0
    while match := _TAG.search(source, at):
        if match.start() > at:
            spans.append((at, match.start()))
        if match[0] == "<!--":
            end = source.find("-->", match.end())
            at = end + 3 if end >= 0 else len(source)
        elif match[1]:
            close = re.compile(rf"</{match[1]}\s*>", re.IGNORECASE).search(source, match.end())
            at = close.end() if close else len(source)
        else:
            at = match.end()
    if at < len(source):
        spans.append((at, len(source)))
    return spans
