"""Folds by item: all endings of an item stay on one side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.endings.items import Ending
from fabula.errors import UsageError

__all__ = ["golds", "item_folds", "right_share"]


def golds(items: Sequence[Ending]) -> list[int]:
    """The right endings; an item without one cannot be trained on."""
    found = []
    for item in items:
        if item.gold is None:
            raise UsageError(f"item {item.id!r} has no gold answer; it cannot be trained on")
        found.append(item.gold)
    if not found:
        raise UsageError("there are no items to train on")
    return found


def item_folds(
    items: int, folds: int, seed: int = 0, *, groups: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """A fold for each item, drawn by ``seed``; items of one group share a fold.

    Sizes differ by one item, or one group, at most.

    >>> item_folds(5, 2).tolist(), item_folds(4, 2, groups=np.array([7, 7, 3, 3])).tolist()
    ([0, 0, 1, 0, 1], [1, 1, 0, 0])
    """
    if groups is None:
        groups = np.arange(items)
    _, members = np.unique(groups, return_inverse=True)
    drawn: NDArray[np.int64] = np.random.default_rng(seed).permutation(
        int(members.max(initial=-1)) + 1
    )
    return drawn[members] % folds


def right_share(
    values: NDArray[np.float64], sizes: Sequence[int], gold: Sequence[int], asked: Sequence[int]
) -> float:
    """How many of the ``asked`` items are right, a tie counting its share."""
    total, at = 0.0, 0
    for size, item in zip(sizes, asked, strict=True):
        part = values[at : at + size]
        winners = np.flatnonzero(part == part.max())
        total += float(gold[item] in winners) / len(winners)
        at += size
    return total
