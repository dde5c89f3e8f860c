"""Tokens of a paragraph as the time grammar reads them: a parse in, lower-case tokens and tags out.

spaCy leaves "8:30pm", "1980s" and "mid-2011" whole or not, by their neighbours. Here a token is a
number, a word or one sign, so that one pattern reads all spellings; each knows the parser's token
it is part of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabula.text.parse.parsed import Parsed

__all__ = ["TokenLine", "lines_of"]

# "3rd" and "6am" are two tokens, "3G" and "747s" are one.
_SUFFIX = "st|nd|rd|th|am|pm|a|p|s|t|gmt|utc|bst|est|edt|hrs?|hours?|mins?|h|bc|bce|ad"
_ENTITY = "&nbsp;"  # left over where a page was turned into text: a space
_TOKEN = re.compile(
    rf"{_ENTITY}|\d+(?![^\W_])|\d+(?=(?:{_SUFFIX})(?:\b|\d))|\d\w*"
    r"|[^\W\d_]+(?:['’](?!s\b)[^\W\d_]+)*|['’]s\b|[^\s\w]|_",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\n\s*\n|(?<=[.!?:;\"”'’)])[^\S\n]*\n")
_APOSTROPHE = str.maketrans("’‘–—−", "''---")


@dataclass(slots=True)
class TokenLine:
    """The tokens of one paragraph; ``line`` is their lower-case text, joined by single spaces.

    ``tags`` are Penn tags, empty without a parse; ``parents`` the parser's token of each token,
    -1 without a parse. ``starts`` and ``ends`` are offsets in the text.
    """

    parsed: Parsed | None
    words: list[str]
    starts: list[int]
    ends: list[int]
    tags: list[str]
    parents: list[int]
    line: str
    columns: list[int]  # where each token begins in ``line``

    def token_at(self, column: int) -> int:
        """The token that covers a column of ``line``."""
        return bisect_right(self.columns, column) - 1

    def glued(self, first: int, last: int) -> bool:
        """Whether the tokens from ``first`` to ``last`` stand in the text without a space."""
        return all(self.ends[i] == self.starts[i + 1] for i in range(first, last))

    def word(self, token: int) -> str:
        """A token in small letters; empty outside the paragraph."""
        return self.words[token].lower() if 0 <= token < len(self.words) else ""

    def tag(self, token: int) -> str:
        return self.tags[token] if 0 <= token < len(self.tags) else ""

    def lemma(self, token: int) -> str:
        """The lemma of the parser's token; empty without a parse."""
        if self.parsed is None or not 0 <= token < len(self.parents):
            return ""
        return self.parsed.lemmas[self.parents[token]].lower()

    def name_type(self, token: int) -> str:
        """The parser's entity type of a token; empty where it has none."""
        if self.parsed is None or not 0 <= token < len(self.parents):
            return ""
        return self.parsed.names[self.parents[token]]


def lines_of(parsed: Parsed) -> Iterator[TokenLine]:
    """The paragraphs of a parse, each as a ``TokenLine``.

    Paragraphs and not the parser's sentences: it ends one in "8:30 p. m." before "Thursday". A line
    break ends a paragraph after a full stop or at an empty line.
    """
    start, first = 0, 0
    for match in _BREAK.finditer(parsed.text):
        yield from _paragraph(parsed, start, match.start(), first)
        start = match.end()
        first = max(bisect_right(parsed.offsets, start) - 1, 0)
    yield from _paragraph(parsed, start, len(parsed.text), first)


def _paragraph(parsed: Parsed, start: int, end: int, first: int) -> Iterator[TokenLine]:
    if len(parsed) and parsed.text[start:end].strip():
        yield _line(parsed.text, start, end, parsed, first)


def _line(text: str, start: int, end: int, parsed: Parsed | None, token: int) -> TokenLine:
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    tags: list[str] = []
    parents: list[int] = []
    columns: list[int] = []
    column = 0
    offsets = parsed.offsets if parsed is not None else []
    for match in _TOKEN.finditer(text, start, end):
        if match[0] == _ENTITY:
            continue
        at = match.start()
        words.append(match[0].translate(_APOSTROPHE))
        starts.append(at)
        ends.append(match.end())
        columns.append(column)
        column += match.end() - at + 1
        if parsed is None:
            tags.append("")
            parents.append(-1)
            continue
        while token + 1 < len(offsets) and offsets[token + 1] <= at:
            token += 1
        tags.append(parsed.tags[token])
        parents.append(token)
    line = " ".join(words).lower()
    if len(line) != max(column - 1, 0):  # a letter whose small form is longer: "İ"
        words = [word if len(word.lower()) == len(word) else "?" * len(word) for word in words]
        line = " ".join(words).lower()
    return TokenLine(parsed, words, starts, ends, tags, parents, line, columns)
