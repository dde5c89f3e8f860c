"""Clusterers by name: any pair score runs with any of them.

A pair score is an n x n matrix of how likely two sentences are of one story, 0 to 1; cosines do as
well for all but ``correlation``. K-means is not among them: it needs vectors (the paper, note 7).
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UnknownName
from fabula.salads.clustering.correlation import correlate
from fabula.salads.clustering.kmedoids import best_medoids, kmedoids
from fabula.salads.clustering.vectors import choose_k, spectral

__all__ = ["CLUSTERERS", "average_linkage", "cluster_pairs", "distances"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]


def cluster_pairs(
    scores: Floats, k: int | None = None, *, how: str = "kmedoids", seed: int = 0
) -> Labels:
    """Stories from pair scores: k of them, or as many as the scores speak for.

    A score that depends on the order of the two sentences is averaged over both.

    >>> cluster_pairs(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]]), 2).tolist()
    [0, 0, 1]
    """
    if how not in CLUSTERERS:
        raise UnknownName("clusterer", how, CLUSTERERS)
    n = len(scores)
    if n < 2:
        return np.zeros(n, dtype=np.int64)
    both = (np.asarray(scores, dtype=np.float64) + np.asarray(scores).T) / 2
    if k is None and how == "correlation":
        return _by_first(correlate(_log_odds(both)))  # the one that needs no number
    divide = CLUSTERERS[how]
    if k is None:
        k = choose_k(both, lambda number: divide(both, number, seed))
    return _by_first(divide(both, min(k, n), seed))


def distances(similarity: Floats) -> Floats:
    """One minus the similarity, and 0 from a sentence to itself and to its equals."""
    distance = 1.0 - similarity
    np.fill_diagonal(distance, 0.0)
    # Rounding leaves a trace between equal vectors, and a trace is enough to prefer oneself.
    return np.where(distance < 1e-9, 0.0, distance)


def average_linkage(distance: Floats, k: int) -> Labels:
    """Join the two stories nearest on average until k are left."""
    from scipy.cluster.hierarchy import cut_tree, linkage
    from scipy.spatial.distance import squareform

    if len(distance) < 2:
        return np.zeros(len(distance), dtype=np.int64)
    joins = linkage(squareform(distance, checks=False), "average")
    # By the order of the joins, not by height: sentences without a shared word are all at 1.
    return np.asarray(cut_tree(joins, n_clusters=min(k, len(distance)))[:, 0], dtype=np.int64)


def _log_odds(probability: Floats) -> Floats:
    sure = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(sure) - np.log1p(-sure))


def _by_first(labels: Labels) -> Labels:
    """Stories numbered from 0 in the order in which they begin."""
    _, firsts, places = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(firsts.argsort().argsort()[places], dtype=np.int64)


CLUSTERERS: dict[str, Callable[[Floats, int, int], Labels]] = {
    "correlation": lambda scores, k, seed: correlate(_log_odds(scores), k),
    "hac": lambda scores, k, seed: average_linkage(distances(scores), k),
    "kmedoids": lambda scores, k, seed: kmedoids(distances(scores), k, random.Random(seed)),
    "kmedoids-exact": lambda scores, k, seed: best_medoids(distances(scores), k),
    "spectral": lambda scores, k, seed: spectral(scores, k),
}
