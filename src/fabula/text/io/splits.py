"""Splits of a corpus by document into train, dev and test: fixed, by shares, or by date.

A hash of its id decides where a document goes, so it stays there when the corpus grows or is read
in another order: ``part_of`` for the fixed parts of packaged corpora, ``split_by_document`` with a
seed for shares such as ``80/20`` or ``90/5/5``. By ``date``, the earliest documents are for
training and the latest for testing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from fabula.errors import UnknownName, UsageError
from fabula.text.io.streams import split_name
from fabula.types import Document

__all__ = [
    "PARTS", "by_date", "in_part", "parse_split", "part_of", "side_of", "side_path",
    "split_by_date", "split_by_document",
]  # fmt: skip

PARTS = ("dev", "test", "train")

T = TypeVar("T")
_BY_DATE, _PAPER = "date", "90/5/5"
_SIDES = {2: ("train", "test"), 3: ("train", "dev", "test")}


def part_of(identifier: str) -> str:
    """The fixed part of a document by its id: one fifth is test, one fifth dev, the rest train.

    >>> part_of("1465_moroccan_revolution") in PARTS
    True
    """
    fifth = int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 5
    return {0: "test", 1: "dev"}.get(fifth, "train")


def in_part(documents: Iterable[Document], part: str) -> Iterator[Document]:
    """The documents of one fixed part."""
    if part not in PARTS:
        raise UnknownName("part", part, PARTS)
    return (document for document in documents if part_of(document.id) == part)


def parse_split(text: str) -> dict[str, float]:
    """The share of each side.

    >>> parse_split("90/5/5")
    {'train': 0.9, 'dev': 0.05, 'test': 0.05}
    >>> parse_split("date") == parse_split("date:90/5/5")
    True
    """
    parts = (text.removeprefix(_BY_DATE).removeprefix(":") or _PAPER).split("/")
    if not by_date(text):
        parts = text.split("/")
    numbers = [int(part) for part in parts if re.fullmatch(r"[1-9][0-9]?", part)]
    if len(numbers) != len(parts) or len(parts) not in _SIDES or sum(numbers) != 100:
        raise UsageError(
            f"a split is two or three whole numbers that sum to 100, such as 80/20 or 90/5/5, or "
            f"date, or date:80/20; it is {text!r}"
        )
    return dict(zip(_SIDES[len(parts)], (number / 100 for number in numbers), strict=True))


def by_date(text: str) -> bool:
    """Whether a split is by date: ``date`` (90/5/5), or with shares, ``date:80/20``."""
    return text == _BY_DATE or text.startswith(f"{_BY_DATE}:")


def side_path(path: Path, side: str) -> Path:
    """Where a side of a split is written.

    >>> str(side_path(Path("a/x.jsonl"), "train"))
    'a/x.train.jsonl'
    """
    stem = split_name(path)[0]
    return path.with_name(f"{stem}.{side}{path.name[len(stem) :]}") if side else path


def split_by_date(
    items: Iterable[T],
    identify: Callable[[T], str],
    dated: Callable[[T], str | None],
    shares: dict[str, float],
) -> dict[str, list[T]]:
    """The items of each side, the earliest first; items of one date stand by their ids."""
    dated_items = [(dated(item), identify(item), item) for item in items]
    undated = [name for date, name, _ in dated_items if not date]
    if undated:
        raise UsageError(
            f"a split by date needs a date on every document; {len(undated)} of "
            f"{len(dated_items)} have none, such as {undated[0]!r}"
        )
    ranked = [item for *_, item in sorted(dated_items, key=lambda entry: entry[:2])]
    sides, start, share = {}, 0, 0.0
    for side, part in shares.items():
        share += part
        end = round(share * len(ranked))
        sides[side] = ranked[start:end]
        start = end
    return sides


def split_by_document(
    items: Iterable[T], identify: Callable[[T], str], shares: dict[str, float], seed: int = 0
) -> dict[str, list[T]]:
    """The items of each side; all items of one document are on one side."""
    sides: dict[str, list[T]] = {side: [] for side in shares}
    for item in items:
        sides[side_of(identify(item), shares, seed)].append(item)
    return sides


def side_of(identifier: str, shares: dict[str, float], seed: int = 0) -> str:
    """The side of the document of this id."""
    digest = hashlib.sha256(f"{seed}\t{identifier}".encode("utf-8", "surrogatepass")).digest()
    position = int.from_bytes(digest[:8], "big") / 2**64
    for side, share in shares.items():
        if position < share:
            return side
        position -= share
    return side  # what rounding leaves over
