"""K-medoids: a story is the sentences nearest to one of its own, so distances are all it needs."""

from __future__ import annotations

import math
import random

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_medoids", "kmedoids"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_SEARCHED = 300_000_000  # distances compared before an exact search gives way to swaps


def kmedoids(distance: Floats, k: int, rng: random.Random, rounds: int = 100) -> Labels:
    """Alternating (Voronoi) k-medoids from one random start, as in the paper (section 4).

    ``distance`` is n x n. Fast, and easily caught in a poor answer: see ``best_medoids``.
    """
    n = len(distance)
    medoids = np.array(rng.sample(range(n), min(k, n)), dtype=np.int64)
    for _ in range(rounds):
        labels = _nearest(distance, medoids)
        before = medoids.copy()
        for story in range(len(medoids)):
            members = np.flatnonzero(labels == story)
            if len(members):  # a medoid equal to another one may have lost even itself
                within = distance[np.ix_(members, members)].sum(axis=0)
                medoids[story] = members[within.argmin()]
        if (medoids == before).all():
            break
    return _nearest(distance, medoids)


def best_medoids(distance: Floats, k: int) -> Labels:
    """The k medoids of least total distance, found by branch and bound.

    Exact while the search is affordable (two stories of 800 sentences, three of 200, four of 90);
    beyond that, medoids that no single swap improves.
    """
    n = len(distance)
    k = min(k, n)
    medoids = _swap(distance, _greedy(distance, k))
    if k and math.comb(n, k) * n <= _SEARCHED:
        medoids = _search(distance, k, medoids)
    return _nearest(distance, medoids)


def _nearest(distance: Floats, medoids: NDArray[np.int64]) -> Labels:
    if not len(medoids):
        return np.zeros(len(distance), dtype=np.int64)
    return np.asarray(distance[:, medoids].argmin(axis=1), dtype=np.int64)


def _greedy(distance: Floats, k: int) -> NDArray[np.int64]:
    """One medoid after the other, each the one that helps most."""
    reached = np.full(len(distance), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        costs = np.minimum(reached[:, None], distance).sum(axis=0)
        costs[medoids] = np.inf
        medoids.append(int(costs.argmin()))
        reached = np.minimum(reached, distance[:, medoids[-1]])
    return np.array(medoids, dtype=np.int64)


def _swap(distance: Floats, medoids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Exchange one medoid for another sentence, the best exchange first, until none gains."""
    medoids = medoids.copy()
    cost = distance[:, medoids].min(axis=1).sum() if len(medoids) else 0.0
    while True:
        best, best_cost = None, cost - 1e-9
        for place in range(len(medoids)):
            others = np.delete(medoids, place)
            reached = distance[:, others].min(axis=1, initial=np.inf)
            costs = np.minimum(reached[:, None], distance).sum(axis=0)
            if costs.min() < best_cost:
                best, best_cost = (place, int(costs.argmin())), costs.min()
        if best is None:
            return medoids
        medoids[best[0]], cost = best[1], best_cost


def _search(distance: Floats, k: int, medoids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every choice of k medoids but those that cannot beat the best so far."""
    n = len(distance)
    columns = np.ascontiguousarray(distance.T)  # row j: how far all sentences are from j
    # Row j: how far all sentences are from the nearest of j, j + 1, ...: the most the rest can do.
    rest = np.minimum.accumulate(columns[::-1])[::-1]
    best, best_cost = medoids, float(columns[medoids].min(axis=0).sum())

    def extend(chosen: list[int], reached: Floats, first: int) -> None:
        nonlocal best, best_cost
        missing = k - len(chosen)
        if missing == 1:
            costs = np.minimum(reached, columns[first:]).sum(axis=1)
            last = int(costs.argmin())
            if costs[last] < best_cost - 1e-9:
                best, best_cost = np.array([*chosen, first + last]), float(costs[last])
            return
        for j in range(first, n - missing + 1):
            now = np.minimum(reached, columns[j])
            if np.minimum(now, rest[j + 1]).sum() < best_cost - 1e-9:
                extend([*chosen, j], now, j + 1)

    extend([], np.full(n, np.inf), 0)
    return best
