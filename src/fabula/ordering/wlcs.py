"""WLCS-l: F score of the weighted longest common subsequence (ROUGE-W, Lin 2004), f(k) = k^w.

Two versions, which differ on about half of all permutations:

- ``weighted_lcs`` (metric ``WLCS-l``) as py-rouge computes it and the ordering paper reports it,
  number for number: the overlap is summed over runs of gold units that a back-trace marks;
- ``lin_wlcs`` (metric ``WLCS-l-lin``) by equations 5 to 7 of the paper with Lin's WLCS, the last
  value of the dynamic programming table.

In both, recall is over f(f(n)) = n^(w * w), so a perfect order scores below 1, and less the longer
the text; the table keeps a match even where leaving it out would be worth more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["lin_wlcs", "perfect_wlcs", "weighted_lcs"]

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


def lin_wlcs(ranks: Ranks, weight: float = 1.2, alpha: float = 1.0) -> Floats:
    """Equations 5 to 7 for each text, with Lin's WLCS; ``alpha`` 1 weighs both sides equally.

    P = f^-1(WLCS / f(n)), R = f^-1(WLCS / f(f(n))), F = (1 + alpha^2) R P / (R + alpha^2 P).
    py-rouge's default alpha of 0.5, which the paper adopts, is that equal weight.

    >>> round(float(lin_wlcs(np.array([[0, 1, 2, 4, 3]]))[0]), 4)
    0.6144
    """
    n = ranks.shape[1]
    powers = np.array([float(k) ** weight for k in range(n + 1)])
    overlaps = []
    for at in range(0, len(ranks), _BATCH):
        part = ranks[at : at + _BATCH]
        place = np.ascontiguousarray(np.argsort(part, axis=1).T)
        overlaps.append(_table(part, place, powers)[1])
    return _f_score(np.concatenate(overlaps) if overlaps else np.zeros(0), n, weight, alpha)


def perfect_wlcs(n: int, weight: float = 1.2) -> float:
    """WLCS-l of the gold order of n units: the ceiling.

    >>> round(perfect_wlcs(10), 4)
    0.7737
    """
    return float(_f_score(np.array([float(n) ** weight]), n, weight)[0])


def _f_score(overlap: Floats, n: int, weight: float, alpha: float = 1.0) -> Floats:
    # Few overlaps differ, and Python's powers are the same on every machine; numpy's are not.
    values, inverse = np.unique(overlap, return_inverse=True)
    scores = []
    for value in values.tolist():
        precision = (value / float(n) ** weight) ** (1 / weight)
        recall = (value / (float(n) ** weight) ** weight) ** (1 / weight)
        square = alpha * alpha
        scores.append((1 + square) * precision * recall / (recall + square * precision))
    return np.array(scores)[inverse]


def _marked(ranks: Ranks, powers: Floats) -> NDArray[np.bool_]:
    """[n, texts]: whether the common subsequence uses a gold unit, by back-tracing the table."""
    texts, n = ranks.shape
    place = np.ascontiguousarray(np.argsort(ranks, axis=1).T)
    drops = _table(ranks, place, powers)[0].reshape(-1)
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


def _table(ranks: Ranks, place: Ranks, powers: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """The dynamic programming table, row by row for all texts at once: its back-trace and value.

    drops[i, j, text]: the trace leaves gold unit i out (on a tie, too), not predicted unit j.
    ``place`` [n, texts] is the position of each gold unit in the predicted order.
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
    return drops, above[n].copy()


def _overlap(marked: NDArray[np.bool_], powers: Floats) -> Floats:
    """The sum of f over runs of neighbouring marked gold units."""
    overlap = np.zeros(marked.shape[1])
    run = np.zeros(marked.shape[1], dtype=np.int64)
    for here in marked:
        overlap += np.where(here, 0.0, powers[run])
        run = np.where(here, run + 1, 0)
    return np.asarray(overlap + powers[run])
