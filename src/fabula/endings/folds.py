"""Cross-validation folds by item, and the number of items answered correctly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.endings.items import Ending, with_gold
from fabula.errors import UsageError

__all__ = ["count_correct", "golds", "item_folds"]


def golds(items: Sequence[Ending]) -> list[int]:
    """The gold index of each item; an item without one, or no item at all, is an error."""
    gold = [item.gold for item in with_gold(items, "cannot be trained on") if item.gold is not None]
    if not gold:
        raise UsageError("there are no items to train on")
    return gold


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


def count_correct(
    values: NDArray[np.float64], sizes: Sequence[int], gold: Sequence[int], asked: Sequence[int]
) -> float:
    """The number of ``asked`` items whose gold ending has the largest value; ties count a share.

    ``values`` has the endings of the asked items one after another, ``sizes`` their numbers.
    """
    total, at = 0.0, 0
    for size, item in zip(sizes, asked, strict=True):
        part = values[at : at + size]
        winners = np.flatnonzero(part == part.max())
        total += float(gold[item] in winners) / len(winners)
        at += size
    return total
