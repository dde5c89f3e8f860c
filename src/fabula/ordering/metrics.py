"""Ordering metrics: perfect match ratio, accuracy, Kendall's tau, WLCS-l, LCS and others.

All are functions of *ranks*: ranks[p] is the gold position of the unit at predicted position p.
Texts of one length are scored together, as an array [texts, n]; a perfect order is 0, 1, ... n-1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UnknownName, UsageError
from fabula.ordering.items import Order, Text
from fabula.ordering.wlcs import lin_wlcs, perfect_wlcs, weighted_lcs
from fabula.task import Score

__all__ = ["MEASURES", "METRICS", "lcs", "ranks_of", "score_orders", "tau", "wlcs"]

Ranks = NDArray[np.int64]
Floats = NDArray[np.float64]


def ranks_of(gold: Sequence[Sequence[int]], predicted: Sequence[Sequence[int]]) -> Ranks:
    """Ranks [texts, n] of predicted orders of one length under the gold orders.

    >>> ranks_of([[2, 0, 1]], [[0, 2, 1]])
    array([[1, 0, 2]])
    """
    gold_position = np.argsort(np.array(gold, dtype=np.int64), axis=1)
    return np.take_along_axis(gold_position, np.array(predicted, dtype=np.int64), axis=1)


def tau(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Kendall's tau, 1 - 2 * inversions / C(n, 2).

    >>> tau([0, 1, 2], [0, 2, 1])
    0.33333333333333337
    """
    return float(_tau(ranks_of([gold], [predicted]))[0])


def wlcs(gold: Sequence[int], predicted: Sequence[int], weight: float = 1.2) -> float:
    """WLCS-l of one text; see ``wlcs.py``.

    >>> round(wlcs(range(5), range(5)), 4)
    0.8404
    """
    return float(weighted_lcs(ranks_of([gold], [predicted]), weight)[0])


def lcs(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """The length of the longest common subsequence, as a share of the units.

    >>> lcs([0, 1, 2, 3], [1, 2, 3, 0])
    0.75
    """
    return float(_lcs(ranks_of([gold], [predicted]))[0])


def _tau(ranks: Ranks) -> Floats:
    n = ranks.shape[1]
    if n < 2:
        return np.ones(len(ranks))
    inversions = np.zeros(len(ranks))
    for position in range(n - 1):
        inversions += (ranks[:, position, None] > ranks[:, position + 1 :]).sum(axis=1)
    return np.asarray(1.0 - 2.0 * inversions / (n * (n - 1) / 2))


def _lcs(ranks: Ranks) -> Floats:
    """The longest increasing subsequence of the ranks, over n."""
    n = ranks.shape[1]
    longest = np.ones(ranks.shape)  # ending at this position
    for position in range(1, n):
        smaller = ranks[:, :position] < ranks[:, position, None]
        longest[:, position] += (longest[:, :position] * smaller).max(axis=1)
    return np.asarray(longest.max(axis=1) / n)


def _displacement(ranks: Ranks) -> Ranks:
    """The distance of each unit from its gold position."""
    return np.asarray(np.abs(ranks - np.arange(ranks.shape[1])))


def _per_text(measure: Callable[[Ranks], Floats]) -> Measure:
    return lambda ranks: (measure(ranks).astype(float), np.ones(len(ranks)))


def _pooled(measure: Callable[[Ranks], NDArray[np.bool_]]) -> Measure:
    """A micro-average: a share of all units of all texts."""
    return lambda ranks: (
        measure(ranks).sum(axis=1).astype(float),
        np.full(len(ranks), float(ranks.shape[1])),
    )


Measure = Callable[[Ranks], tuple[Floats, Floats]]  # for each text: numerator and denominator

MEASURES: dict[str, Measure] = {
    "PMR": _per_text(lambda ranks: (_displacement(ranks) == 0).all(axis=1)),
    "Acc": _pooled(lambda ranks: _displacement(ranks) == 0),
    "Acc-text": _per_text(lambda ranks: (_displacement(ranks) == 0).mean(axis=1)),
    "tau": _per_text(_tau),
    "WLCS-l": _per_text(weighted_lcs),
    "WLCS-l-lin": _per_text(lin_wlcs),
    "LCS": _per_text(_lcs),
    "within@1": _pooled(lambda ranks: _displacement(ranks) <= 1),
    "within@2": _pooled(lambda ranks: _displacement(ranks) <= 2),
    "within@3": _pooled(lambda ranks: _displacement(ranks) <= 3),
    "head": _per_text(lambda ranks: ranks[:, 0] == 0),
    "tail": _per_text(lambda ranks: ranks[:, -1] == ranks.shape[1] - 1),
}
# Rescaled from another metric, which is then computed once.
RESCALED: dict[str, tuple[str, Callable[[Floats, int], Floats]]] = {
    "WLCS-l-share": ("WLCS-l", lambda values, n: values / perfect_wlcs(n)),
    "Rouge-S": ("tau", lambda values, n: (values + 1) / 2),
}
REPAIRED = "repaired"  # the share of answers that were no permutation; see ``items.repair``


def score_orders(
    texts: Iterable[Text],
    orders: Iterable[Order],
    names: Iterable[str] | None = None,
    *,
    single: str = "drop",
) -> dict[str, tuple[Floats, Floats]]:
    """For each metric the numerators and denominators of the texts (their ratio of sums scores).

    A text of one unit cannot be ordered: it is left out, or correct with ``single="one"``.
    """
    if single not in ("drop", "one"):
        raise UsageError(f"single is 'drop' or 'one', not {single!r}")
    golds: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    found: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    rows: dict[int, list[int]] = defaultdict(list)
    repaired = []
    for row, (text, order) in enumerate(zip(texts, orders, strict=True)):
        n = len(text.units)
        golds[n].append(_gold(text))
        found[n].append(order.order)
        rows[n].append(row)
        repaired.append(order.repaired)
    wanted = set(METRICS if names is None else names)
    if unknown := sorted(wanted - set(METRICS)):
        raise UnknownName("metric", unknown[0], METRICS)
    chosen = [name for name in METRICS if name in wanted]
    size = len(repaired)
    scores = {name: (np.zeros(size), np.zeros(size)) for name in chosen}
    for n, here in rows.items():
        if n < 2 and single == "drop":
            continue
        ranks = ranks_of(golds[n], found[n])
        computed: dict[str, tuple[Floats, Floats]] = {}
        for name in chosen:
            totals, counts = scores[name]
            if name == REPAIRED:
                totals[here], counts[here] = np.array(repaired, dtype=float)[here], 1.0
                continue
            base, rescale = RESCALED.get(name, (name, None))
            if base not in computed:
                computed[base] = MEASURES[base](ranks)
            total, count = computed[base]
            totals[here], counts[here] = total if rescale is None else rescale(total, n), count
    return scores


def _gold(text: Text) -> tuple[int, ...]:
    if text.gold is None:
        raise UsageError(f"text {text.id!r} has no gold order; it cannot be scored")
    return text.gold


def _metric(name: str) -> Callable[[Text, Order], Score]:
    def metric(text: Text, order: Order) -> Score:
        totals, counts = score_orders([text], [order], [name])[name]
        return Score(float(totals[0]), float(counts[0]))

    return metric


_NAMES = ("PMR", "Acc", "Acc-text", "tau", "WLCS-l", "WLCS-l-lin", "WLCS-l-share", "Rouge-S", "LCS",
          "within@1", "within@2", "within@3", "head", "tail", REPAIRED)  # fmt: skip
METRICS: Mapping[str, Callable[[Text, Order], Score]] = {name: _metric(name) for name in _NAMES}
