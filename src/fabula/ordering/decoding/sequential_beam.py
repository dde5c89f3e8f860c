"""Beam search over a sequential model of order: one unit after the other, each by a softmax.

With the set L of units still to be placed, and ``last`` the unit placed last,

    score(i) = sum of precedence[i, j] over j in L + adjacency[last, i]
    P(next is i) = softmax of score over L

(``first[i]`` instead of ``adjacency`` at the start), as in Plackett and Luce with a Markov term.
The probability of an order is the product over its steps. Pair probabilities alone (Kemeny) cannot
express that two units may both stand before a third, but only one of them directly before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.items import OrderScores

__all__ = ["sequential_beam_search"]

_EXPANSIONS = 4  # candidates ranked for each one kept: some of them are equivalent


def sequential_beam_search(
    scores: OrderScores,
    must: NDArray[np.bool_] | None = None,
    group: NDArray[np.int64] | None = None,
    width: int = 32,
) -> tuple[int, ...]:
    """The most probable order found by a beam of ``width`` prefixes.

    ``must[i, j]``: unit i has to stand before unit j. Units of one ``group`` stand side by side.
    Of prefixes with the same units and the same last unit only the best is kept, as they continue
    alike. Identical units keep the order in which they were given.
    """
    n = len(scores.precedence)
    must = np.zeros((n, n), dtype=bool) if must is None else must
    group = np.arange(n) if group is None else group
    must = must | _tie_identical(scores.identity, must, group)
    log_probability, last = np.zeros(1), np.full(1, -1)
    remaining = np.ones((1, n), dtype=bool)
    ahead = scores.precedence.sum(axis=1, dtype=np.float64)[None]  # over all remaining units
    blockers = must.sum(axis=0)[None]  # how many remaining units have to stand before each
    prefixes: list[tuple[int, ...]] = [()]
    for placed in range(n):
        neighbour = scores.adjacency[last] if placed else scores.first[None]
        logits = np.where(remaining, ahead + neighbour, -np.inf)
        top = logits.max(axis=1, keepdims=True)
        logits -= top + np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        logits[blockers > 0] = -np.inf
        if placed:
            same_group = (group[last][:, None] == group) & remaining
            logits[same_group.any(axis=1)[:, None] & ~same_group] = -np.inf
        totals = (log_probability[:, None] + logits).ravel()
        # Rounding must not decide between equal orders.
        ranked = np.argsort(-np.round(totals, 9), kind="stable")[: _EXPANSIONS * width]
        best: dict[tuple[bytes, int], int] = {}
        for candidate in ranked[np.isfinite(totals[ranked])].tolist():
            prefix, unit = divmod(candidate, n)
            after = remaining[prefix].copy()
            after[unit] = False
            best.setdefault((after.tobytes(), unit), candidate)
        chosen = np.fromiter(best.values(), dtype=np.int64)[:width]
        parents, last = chosen // n, chosen % n
        log_probability = totals[chosen]
        prefixes = [(*prefixes[i], unit) for i, unit in zip(parents, last.tolist(), strict=True)]
        remaining = remaining[parents]
        remaining[np.arange(len(chosen)), last] = False
        ahead = ahead[parents] - scores.precedence[:, last].T
        blockers = blockers[parents] - must[last]
    return prefixes[0]


def _tie_identical(
    identity: NDArray[np.int64], must: NDArray[np.bool_], group: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """n x n: i before j where both are identical and no constraint distinguishes them.

    Without this a beam would hold one order many times.
    """
    alone = np.bincount(group, minlength=len(group))[group] == 1
    keys = [
        (kind, must[unit].tobytes(), must[:, unit].tobytes()) if alone[unit] else unit
        for unit, kind in enumerate(identity.tolist())
    ]
    numbers = {key: number for number, key in enumerate(keys)}
    same = np.array([numbers[key] for key in keys], dtype=np.int64)
    return np.triu(same[:, None] == same, 1)
