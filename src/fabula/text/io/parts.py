"""Which part of a corpus a document belongs to: train, dev or test, by a hash of its id.

A hash, not a draw: a document stays in its part when the corpus grows or is read in another order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from fabula.errors import UnknownName
from fabula.types import Document

__all__ = ["PARTS", "in_part", "part_of"]

PARTS = ("dev", "test", "train")


def part_of(identifier: str) -> str:
    """One fifth is test, one fifth dev, the rest train.

    >>> part_of("1465_moroccan_revolution") in PARTS
    True
    """
    fifth = int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 5
    return {0: "test", 1: "dev"}.get(fifth, "train")


def in_part(documents: Iterable[Document], part: str) -> Iterator[Document]:
    """The documents of one part."""
    if part not in PARTS:
        raise UnknownName("part", part, PARTS)
    return (document for document in documents if part_of(document.id) == part)
