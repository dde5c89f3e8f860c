"""WLCS-l: F score of the weighted longest common subsequence (ROUGE-W, Lin 2004), f(k) = k^w.

As py-rouge computes it and the ordering paper reports it, number for number: recall is over
f(f(n)) = n^(w * w), so a perfect order scores below 1, and less the longer the text; the table
keeps a match even where leaving it out would be worth more; and it is not symmetric.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["perfect_wlcs", "weighted_lcs"]

Ranks = NDArray[np.int64]
Floats = NDArray[np.float64]
_BATCH = 8192  # texts, so that the tables stay in the processor's cache


def weighted_lcs(ranks: Ranks, weight: float = 1.2) -> Floats:
    """WLCS-l of each text; ranks [texts, n] as in ``metrics.py``."""
    n = ranks.shape[1]
    powers = np.array([float(k) ** weight for k in range(n + 1)])  # as Python rounds them
    overlaps = [
        _overlap(_marked(ranks[at : at + _BATCH], powers), powers)
        for at in range(0, len(ranks), _BATCH)
    ]
    return _f_score(np.concatenate(overlaps) if overlaps else np.zeros(0), n, weight)


def perfect_wlcs(n: int, weight: float = 1.2) -> float:
    """WLCS-l of the gold order of n units: the ceiling.

    >>> round(perfect_wlcs(10), 4)
    0.7737
    """
    return float(_f_score(np.array([float(n) ** weight]), n, weight)[0])


def _f_score(overlap: Floats, n: int, weight: float) -> Floats:
    # Few overlaps differ, and Python's powers are the same on every machine; numpy's are not.
    values, inverse = np.unique(overlap, return_inverse=True)
    scores = []
    for value in values.tolist():
        precision = (value / float(n) ** weight) ** (1 / weight)
        recall = (value / (float(n) ** weight) ** weight) ** (1 / weight)
        scores.append(2 * precision * recall / (precision + recall))
    return np.array(scores)[inverse]


def _marked(ranks: Ranks, powers: Floats) -> NDArray[np.bool_]:
    """[n, texts]: whether the common subsequence uses a gold unit, by back-tracing the table."""
    texts, n = ranks.shape
    place = np.ascontiguousarray(np.argsort(ranks, axis=1).T)
    drops = _drops(ranks, place, powers).reshape(-1)
    place = place.reshape(-1)
    marked = np.zeros(n * texts, dtype=bool)
    every = np.arange(texts)
    i, j = np.full(texts, n - 1), np.full(texts, n - 1)  # the last unit left of each order
    while len(every):
        gold = i * texts + every
        match = place[gold] == j
        drop = drops[(i * n + j) * texts + every]
        marked[gold[match]] = True
        i, j = i - (match | drop), j - (match | ~drop)
        going = (i >= 0) & (j >= 0)
        if not going.all():
            i, j, every = i[going], j[going], every[going]
    return marked.reshape(n, texts)


def _drops(ranks: Ranks, place: Ranks, powers: Floats) -> NDArray[np.bool_]:
    """drops[i, j, text]: the trace leaves gold unit i out (on a tie, too), not predicted unit j.

    The dynamic programming table is filled row by row, for all texts at once. ``place`` [n, texts]
    is the position of each gold unit in the predicted order.
    """
    texts, n = ranks.shape
    every = np.arange(texts)
    found = np.ascontiguousarray(ranks.T).astype(np.int16)
    drops = np.empty((n, n, texts), dtype=bool)
    above, row = np.zeros((2, n + 1, texts))  # row[j + 1]: the weight up to found unit j
    run = np.zeros(texts, dtype=np.int64)
    for i in range(n):
        if i:
            run = np.where(place[i] == place[i - 1] + 1, run + 1, 0)
        matched = (above[place[i], every] + powers[run + 1]) - powers[run]
        match = found == i
        for j in range(n):
            np.maximum(above[j + 1], row[j], out=row[j + 1])
            np.copyto(row[j + 1], matched, where=match[j])
        np.greater_equal(above[1:], row[:-1], out=drops[i])
        above, row = row, above
    return drops


def _overlap(marked: NDArray[np.bool_], powers: Floats) -> Floats:
    """The sum of f over runs of neighbouring marked gold units."""
    overlap = np.zeros(marked.shape[1])
    run = np.zeros(marked.shape[1], dtype=np.int64)
    for here in marked:
        overlap += np.where(here, 0.0, powers[run])
        run = np.where(here, run + 1, 0)
    return np.asarray(overlap + powers[run])
