"""One unit after the other: an order by what comes before what, and by what follows what.

With the set L of units still to be placed, and ``last`` the unit placed last,

    score(i) = sum of pull[i, j] over j in L + follow[last, i]
    P(next is i) = softmax of score over L

(``opening[i]`` instead of ``follow`` at the start). The probability of an order is the product over
its steps. Pairs alone, as Kemeny's sum has them, do not know that two units may each stand before a
third and yet only one of them right before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Walk", "best_walk"]

Matrix = NDArray[np.floating]
_POOL = 4  # times as many beginnings are looked at as are kept: some of them are alike


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """What each step is scored by, for n units."""

    pull: Matrix  # n x n, antisymmetric: what draws unit i in front of unit j
    follow: Matrix  # n x n: what draws unit j right behind unit i
    opening: Matrix  # n: what draws a unit to the very front
    kinds: NDArray[np.int64]  # n: units of one number are equal
    whole: bool = False  # every order is weighed as a whole (``chances``), not step by step


def best_walk(
    walk: Walk,
    must: NDArray[np.bool_] | None = None,
    group: NDArray[np.int64] | None = None,
    width: int = 32,
) -> tuple[int, ...]:
    """The most probable order that a beam of ``width`` beginnings finds.

    ``must[i, j]``: unit i has to stand before unit j. Units of one ``group`` stand side by side.
    Beginnings of the same units that end alike go on alike: the best of them is kept. Equal units
    stand as they were given.
    """
    n = len(walk.pull)
    must = np.zeros((n, n), dtype=bool) if must is None else must
    group = np.arange(n) if group is None else group
    must = must | _twins(walk.kinds, must, group)
    total, last = np.zeros(1), np.full(1, -1)
    left = np.ones((1, n), dtype=bool)
    lead = walk.pull.sum(axis=1, dtype=np.float64)[None]  # over all that are left
    waiting = must.sum(axis=0)[None]  # how many of those left have to stand before
    heads: list[tuple[int, ...]] = [()]
    for placed in range(n):
        near = walk.follow[last] if placed else walk.opening[None]
        logits = np.where(left, lead + near, -np.inf)
        top = logits.max(axis=1, keepdims=True)
        logits -= top + np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        logits[waiting > 0] = -np.inf
        if placed:
            mates = (group[last][:, None] == group) & left
            logits[mates.any(axis=1)[:, None] & ~mates] = -np.inf
        worth = (total[:, None] + logits).ravel()
        # Rounding must not decide between equal orders.
        ranked = np.argsort(-np.round(worth, 9), kind="stable")[: _POOL * width]
        grown: dict[tuple[bytes, int], int] = {}
        for place in ranked[np.isfinite(worth[ranked])].tolist():
            beam, unit = divmod(place, n)
            after = left[beam].copy()
            after[unit] = False
            grown.setdefault((after.tobytes(), unit), place)
        chosen = np.fromiter(grown.values(), dtype=np.int64)[:width]
        beams, last = chosen // n, chosen % n
        total = worth[chosen]
        heads = [(*heads[beam], unit) for beam, unit in zip(beams, last.tolist(), strict=True)]
        left = left[beams]
        left[np.arange(len(chosen)), last] = False
        lead, waiting = lead[beams] - walk.pull[:, last].T, waiting[beams] - must[last]
    return heads[0]


def _twins(
    kinds: NDArray[np.int64], must: NDArray[np.bool_], group: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Equal units that no rule tells apart, tied: else a beam would hold one order many times."""
    alone = np.bincount(group, minlength=len(group))[group] == 1
    told = [
        (kind, must[unit].tobytes(), must[:, unit].tobytes()) if alone[unit] else unit
        for unit, kind in enumerate(kinds.tolist())
    ]
    numbers = {one: number for number, one in enumerate(told)}
    same = np.array([numbers[one] for one in told], dtype=np.int64)
    return np.triu(same[:, None] == same, 1)
