"""JSON objects with the SHA-256 of their own content; JSON whose failures are one exception."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["CHECKSUM", "checked", "parse_checked", "parse_json", "with_checksum"]

CHECKSUM = "sha256"


def parse_json(data: str | bytes) -> Any:
    """``json.loads``, whose every failure is a ``ValueError``, also of deeply nested values.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: nested too deeply
    """
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def with_checksum(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object with its checksum as the last key.

    >>> checked(with_checksum({"rows": 3}))
    {'rows': 3}
    """
    rest = {key: entry for key, entry in value.items() if key != CHECKSUM}
    return {**rest, CHECKSUM: _digest(rest)}


def checked(value: Any) -> dict[str, Any]:
    """The object without its checksum; ``ValueError`` if it does not fit.

    >>> checked({"rows": 4, "sha256": "0"})
    Traceback (most recent call last):
    ValueError: changed since it was written
    """
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    rest = {key: entry for key, entry in value.items() if key != CHECKSUM}
    if value.get(CHECKSUM) != _digest(rest):
        raise ValueError("changed since it was written")
    return rest


def parse_checked(data: str | bytes) -> dict[str, Any]:
    """Parse an object that ``with_checksum`` made; ``ValueError`` if anything is wrong with it."""
    return checked(parse_json(data))


def _digest(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
