"""The arrays of messages of a JSON file, each object with its line, also of a file cut short."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

__all__ = ["Entries", "Entry", "messages_of"]

_ARRAY = re.compile(r'"messages"\s*:\s*\[')
_WHOLE = re.compile(r"\s*\[")
# Telegram Desktop writes control characters as \x1F, which is no JSON.
_NO_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([01][0-9A-F])")
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


class Entries(NamedTuple):
    """The objects of a file's arrays, and whether the file ends before its last array does."""

    entries: list[Entry]
    cut: bool


def messages_of(text: str) -> Entries:
    """The objects of all ``messages`` arrays, or of the array that the file is.

    The reading ends where the JSON does.
    """
    text = _NO_ESCAPE.sub(r"\1\\u00\2", text) if "\\x" in text else text
    entries: list[Entry] = []
    position, line, counted = 0, 1, 0
    array = 0
    end_of_last = 0
    pattern = _WHOLE if _WHOLE.match(text) else _ARRAY
    while match := pattern.search(text, position):
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
                return Entries(entries, True)
            entries.append(Entry(line, row, array, before))
        if text[position : position + 1] != "]":
            return Entries(entries, True)
        end_of_last = position
        array += 1
        if pattern is _WHOLE:
            break
    return Entries(entries, False)
