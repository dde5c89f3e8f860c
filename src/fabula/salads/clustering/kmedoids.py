"""K-medoids from an n x n distance matrix: alternating (Voronoi), and exact by branch and bound."""

from __future__ import annotations

import logging
import math
import random

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_medoids", "kmedoids"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

SEARCH_LIMIT = 300_000_000  # distances compared above which PAM replaces the exact search
_log = logging.getLogger("fabula.salads")


def kmedoids(distance: Floats, k: int, rng: random.Random, rounds: int = 100) -> Labels:
    """Labels by alternating (Voronoi) k-medoids from one random start, as in the paper (section 4).

    Fast, and easily caught in a poor local optimum: see ``best_medoids``.
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
    """Labels by the k medoids of least total distance: branch and bound from a PAM solution.

    Exact while the search is affordable (two stories of 800 sentences, three of 200, four of 90);
    beyond that the PAM solution (Kaufman and Rousseeuw 1990), which no single swap improves.
    """
    n = len(distance)
    k = min(k, n)
    medoids = _pam_swap(distance, _pam_build(distance, k))
    if k and math.comb(n, k) * n <= SEARCH_LIMIT:
        medoids = _branch_and_bound(distance, k, medoids)
    elif k:
        _log.info("%d medoids of %d sentences by PAM: too many for an exact search", k, n)
    return _nearest(distance, medoids)


def _nearest(distance: Floats, medoids: NDArray[np.int64]) -> Labels:
    if not len(medoids):
        return np.zeros(len(distance), dtype=np.int64)
    return np.asarray(distance[:, medoids].argmin(axis=1), dtype=np.int64)


def _pam_build(distance: Floats, k: int) -> NDArray[np.int64]:
    """PAM's BUILD phase: greedily add the medoid that lowers the total distance most."""
    nearest_distance = np.full(len(distance), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        costs = np.minimum(nearest_distance[:, None], distance).sum(axis=0)
        costs[medoids] = np.inf
        medoids.append(int(costs.argmin()))
        nearest_distance = np.minimum(nearest_distance, distance[:, medoids[-1]])
    return np.array(medoids, dtype=np.int64)


def _pam_swap(distance: Floats, medoids: NDArray[np.int64]) -> NDArray[np.int64]:
    """PAM's SWAP phase: exchange a medoid for another sentence, best first, until none gains."""
    medoids = medoids.copy()
    cost = distance[:, medoids].min(axis=1).sum() if len(medoids) else 0.0
    while True:
        best, best_cost = None, cost - 1e-9
        for slot in range(len(medoids)):
            others = np.delete(medoids, slot)
            nearest_distance = distance[:, others].min(axis=1, initial=np.inf)
            costs = np.minimum(nearest_distance[:, None], distance).sum(axis=0)
            if costs.min() < best_cost:
                best, best_cost = (slot, int(costs.argmin())), costs.min()
        if best is None:
            return medoids
        medoids[best[0]], cost = best[1], best_cost


def _branch_and_bound(distance: Floats, k: int, medoids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The best choice of k medoids, skipping prefixes whose bound exceeds the best cost so far."""
    n = len(distance)
    columns = np.ascontiguousarray(distance.T)  # row j: distances of all sentences to j
    # Row j: distances to the nearest of j, j + 1, ...: the lower bound with any further medoids.
    bound = np.minimum.accumulate(columns[::-1])[::-1]
    best, best_cost = medoids, float(columns[medoids].min(axis=0).sum())

    def extend(chosen: list[int], nearest_distance: Floats, first: int) -> None:
        nonlocal best, best_cost
        missing = k - len(chosen)
        if missing == 1:
            costs = np.minimum(nearest_distance, columns[first:]).sum(axis=1)
            last = int(costs.argmin())
            if costs[last] < best_cost - 1e-9:
                best, best_cost = np.array([*chosen, first + last]), float(costs[last])
            return
        for j in range(first, n - missing + 1):
            now = np.minimum(nearest_distance, columns[j])
            if np.minimum(now, bound[j + 1]).sum() < best_cost - 1e-9:
                extend([*chosen, j], now, j + 1)

    extend([], np.full(n, np.inf), 0)
    return best
