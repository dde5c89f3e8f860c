"""Well-formed text: strings that can be written as UTF-8, with lone surrogates replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["REPLACEMENT", "count_replaced", "well_formed", "well_formed_value"]

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """``text`` with each lone surrogate as U+FFFD, and surrogate pairs joined to one character.

    Mail headers, PDF files, wiki dumps, ``\\u`` escapes and file names that are not UTF-8 all
    give such strings, which no file, terminal or database takes.

    >>> well_formed("caf\\udce9"), well_formed("\\ud83d\\ude00") == "\\U0001f600"
    ('caf�', True)
    """
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_value(value: Any) -> Any:
    """A JSON value with all its strings, keys included, well-formed."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, Mapping):
        return {well_formed_value(key): well_formed_value(entry) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(well_formed_value, value))
    return value


def count_replaced(before: str, after: str) -> int:
    """How many characters ``well_formed`` replaced.

    >>> count_replaced("caf\\udce9", well_formed("caf\\udce9"))
    1
    """
    return after.count(REPLACEMENT) - before.count(REPLACEMENT)
