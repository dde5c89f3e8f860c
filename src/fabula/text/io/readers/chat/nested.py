"""The ``messages`` arrays of a JSON file, each object with its line, also of a file cut short."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Entry", "is_cut", "messages_of"]

_ARRAY = re.compile(r'"messages"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


class Entry(NamedTuple):
    """One object of an array; ``array`` counts the arrays of the file, ``before`` is what the file
    says between the array before and this one.
    """

    line: int
    row: dict[str, Any]
    array: int
    before: str


def messages_of(text: str) -> Iterator[Entry]:
    """The objects of all ``messages`` arrays; the reading ends where the JSON does."""
    position, line, counted = 0, 1, 0
    array = 0
    end_of_last = 0
    while match := _ARRAY.search(text, position):
        before = text[end_of_last : match.start()][-2000:]
        position = match.end()
        while True:
            position = _BETWEEN.match(text, position).end()  # type: ignore[union-attr]
            if text[position : position + 1] != "{":
                break
            line += text.count("\n", counted, position)
            counted = position
            try:
                row, position = _DECODER.raw_decode(text, position)
            except (ValueError, RecursionError):
                return
            yield Entry(line, row, array, before)
        end_of_last = position
        array += 1


def is_cut(text: str) -> bool:
    """Whether the file ends before its JSON does."""
    return not text.rstrip().endswith(("}", "]"))
