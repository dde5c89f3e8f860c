"""Windows of a text around anaphors, as word pieces: what the transformer reads at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.text.parse.parsed import Parsed

__all__ = ["Pieces", "Window", "windows_of"]

MAX_PIECES = 250
_SENTENCES_BEFORE = 3
_PIECES_AFTER = 60  # of the anaphor's own sentence and the next


@dataclass(slots=True)
class Pieces:
    """The word pieces of a text, and the first piece of each token."""

    ids: list[int]
    first: list[int]

    @classmethod
    def of(cls, parsed: Parsed, tokenizer: Any) -> Pieces:
        text = parsed.text.encode("utf-8", "replace").decode()  # no lone surrogates
        encoding = tokenizer.encode(text, add_special_tokens=False)
        ends = [end for _, end in encoding.offsets]
        first, piece, last = [], 0, len(ends) - 1
        for offset in parsed.offsets:
            while piece < last and ends[piece] <= offset:
                piece += 1
            first.append(piece)
        return cls(encoding.ids, first)


@dataclass(slots=True)
class Window:
    """Pieces ``[start, end)`` of a text, and the anaphors (tokens) that are resolved in it."""

    start: int
    end: int
    anaphors: list[int] = field(default_factory=list)

    def place(self, piece: int) -> int | None:
        """The row of a piece in the window's states, after the opening token; None outside."""
        return piece - self.start + 1 if self.start <= piece < self.end else None


def windows_of(parsed: Parsed, pieces: Pieces, anaphors: Sequence[int]) -> list[Window]:
    """Windows that hold each anaphor with three sentences before it; neighbours share one."""
    found: list[Window] = []
    bounds = parsed.bounds()
    first, count = pieces.first, len(pieces.ids)
    for token in anaphors:
        sentence = parsed.sentence[token]
        start = first[bounds[max(0, sentence - _SENTENCES_BEFORE)][0]]
        after = bounds[min(len(bounds) - 1, sentence + 1)][1]
        end = first[after] if after < len(first) else count
        end = min(end, first[token] + _PIECES_AFTER)
        start = max(start, end - MAX_PIECES)
        current = found[-1] if found else None
        if current and current.start <= start and end - current.start <= MAX_PIECES:
            current.end = max(current.end, end)
            current.anaphors.append(token)
        else:
            found.append(Window(start, end, [token]))
    return found
