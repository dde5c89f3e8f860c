"""Fields of another program's JSON: a value of any type in, one of the type expected out.

An export may be damaged or of a later version: what is of another type counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["count_of", "mapping", "mappings", "maybe_text", "values"]

_MOST = 100  # of one reaction; a larger number would make a message of them


def mapping(value: Any) -> Mapping[str, Any]:
    """The object, else an empty one.

    >>> mapping({"a": 1}), mapping("a")
    ({'a': 1}, {})
    """
    return value if isinstance(value, Mapping) else {}


def values(value: Any) -> list[Any]:
    """The array, else an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of an array."""
    return (item for item in values(value) if isinstance(item, Mapping))


def maybe_text(value: Any) -> str | None:
    """A string or a number as text; None for anything else, and for nothing.

    >>> maybe_text("a"), maybe_text(7), maybe_text(""), maybe_text([])
    ('a', '7', None, None)
    """
    return str(value) or None if isinstance(value, str | int | float) else None


def count_of(value: Any) -> int:
    """How often somebody reacted, at least once."""
    return min(max(value, 1), _MOST) if isinstance(value, int) else 1
