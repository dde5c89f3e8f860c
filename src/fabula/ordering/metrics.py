"""How near an order is to the right one. Every function takes gold and predicted permutations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fabula.errors import UsageError
from fabula.ordering.items import Order, Text
from fabula.task import Score

__all__ = ["METRICS", "tau", "wlcs"]


def tau(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Kendall's tau, 1 - 2 * inversions / C(n, 2).

    >>> tau([0, 1, 2], [0, 2, 1])
    0.33333333333333337
    """
    n = len(gold)
    if n < 2:
        return 1.0
    place = np.empty(n, dtype=np.int64)
    place[list(gold)] = np.arange(n)
    ranks = place[list(predicted)]
    inversions = int(np.triu(ranks[:, None] > ranks[None, :], 1).sum())
    return 1.0 - 2.0 * inversions / (n * (n - 1) / 2)


def wlcs(gold: Sequence[int], predicted: Sequence[int], weight: float = 1.2) -> float:
    """WLCS-l: the F score of the weighted longest common subsequence, runs weighted f(k) = k^w.

    As py-rouge computes it and the ordering paper reports it: recall is over f(f(n)), so a
    perfect order scores below 1 and less the longer the text. Not symmetric.

    >>> round(wlcs(range(5), range(5)), 4)
    0.8404
    """
    n = len(gold)
    marked = _marked(list(gold), list(predicted), weight)
    overlap, run = 0.0, 0
    for here in [*marked, False]:
        if here:
            run += 1
        elif run:
            overlap += run**weight
            run = 0
    precision = (overlap / n**weight) ** (1 / weight)
    recall = (overlap / n ** (weight * weight)) ** (1 / weight)
    return 2 * precision * recall / (precision + recall) if overlap else 0.0


def _marked(gold: list[int], predicted: list[int], weight: float) -> list[bool]:
    """Which gold positions the best weighted common subsequence uses (its back-trace)."""
    n = len(gold)
    value = [[0.0] * (n + 1) for _ in range(n + 1)]
    run = [[0] * (n + 1) for _ in range(n + 1)]
    for i, item in enumerate(gold, 1):
        for j, other in enumerate(predicted, 1):
            if item == other:
                k = run[i - 1][j - 1]
                value[i][j] = value[i - 1][j - 1] + (k + 1) ** weight - k**weight
                run[i][j] = k + 1
            else:
                value[i][j] = max(value[i - 1][j], value[i][j - 1])
    marked = [False] * n
    i = j = n
    while i and j:
        if gold[i - 1] == predicted[j - 1]:
            marked[i - 1] = True
            i, j = i - 1, j - 1
        elif value[i - 1][j] >= value[i][j - 1]:  # on a tie a gold item is dropped
            i -= 1
        else:
            j -= 1
    return marked


def _gold(text: Text) -> tuple[int, ...]:
    if text.gold is None:
        raise UsageError(f"text {text.id!r} has no gold order; it cannot be scored")
    return text.gold


def _mean_per_text(
    measure: Callable[[Sequence[int], Sequence[int]], float],
) -> Callable[[Text, Order], Score]:
    def metric(text: Text, order: Order) -> Score:
        if len(text.units) < 2:
            return Score(0.0, 0.0)  # one unit cannot be ordered: it takes no part
        return Score(measure(_gold(text), order.order))

    return metric


def acc(text: Text, order: Order) -> Score:
    """Units at their right place, pooled over all units of all texts."""
    if len(text.units) < 2:
        return Score(0.0, 0.0)
    right = sum(g == p for g, p in zip(_gold(text), order.order, strict=True))
    return Score(float(right), float(len(text.units)))


METRICS = {
    "PMR": _mean_per_text(lambda gold, predicted: float(tuple(gold) == tuple(predicted))),
    "Acc": acc,
    "tau": _mean_per_text(tau),
    "WLCS-l": _mean_per_text(wlcs),
}
