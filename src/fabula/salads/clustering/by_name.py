"""Clusterers by name: from an n x n matrix of pair scores to stories.

A pair score is the probability that two sentences belong to one story; cosines do as well for all
but ``correlation``. K-means is not among them: it needs vectors (the paper, note 7).
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UnknownName
from fabula.salads.clustering.correlation import correlation_clusters
from fabula.salads.clustering.kmedoids import best_medoids, kmedoids
from fabula.salads.clustering.number_of_stories import k_by_silhouette
from fabula.salads.clustering.vectors import spectral

__all__ = ["CLUSTERERS", "average_linkage", "cluster_pairs", "distances"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]


def cluster_pairs(
    scores: Floats, k: int | None = None, *, how: str = "kmedoids", seed: int = 0
) -> Labels:
    """Labels from pair scores: k stories, or the number the scores support.

    Without k, ``correlation`` uses its own story cost and the others the best mean silhouette.
    Scores that depend on the order of the two sentences are averaged over both orders.

    >>> cluster_pairs(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]]), 2).tolist()
    [0, 0, 1]
    """
    if how not in CLUSTERERS:
        raise UnknownName("clusterer", how, CLUSTERERS)
    n = len(scores)
    if n < 2:
        return np.zeros(n, dtype=np.int64)
    symmetric = (np.asarray(scores, dtype=np.float64) + np.asarray(scores).T) / 2
    if k is None and how == "correlation":
        return _numbered_by_first(correlation_clusters(_log_odds(symmetric)))
    cluster = CLUSTERERS[how]
    if k is None:
        k = k_by_silhouette(symmetric, lambda number: cluster(symmetric, number, seed))
    return _numbered_by_first(cluster(symmetric, min(k, n), seed))


def distances(similarity: Floats) -> Floats:
    """One minus the similarity; 0 from a sentence to itself and to equal sentences."""
    distance = 1.0 - similarity
    np.fill_diagonal(distance, 0.0)
    # Rounding between equal vectors must not make a sentence nearer to itself than to its equal.
    return np.where(distance < 1e-9, 0.0, distance)


def average_linkage(distance: Floats, k: int) -> Labels:
    """k stories by hierarchical agglomerative clustering with average linkage (UPGMA)."""
    from scipy.cluster.hierarchy import cut_tree, linkage
    from scipy.spatial.distance import squareform

    if len(distance) < 2:
        return np.zeros(len(distance), dtype=np.int64)
    joins = linkage(squareform(distance, checks=False), "average")
    # Cut by the order of the joins, not by height: sentences without a shared word are all at 1.
    return np.asarray(cut_tree(joins, n_clusters=min(k, len(distance)))[:, 0], dtype=np.int64)


def _log_odds(probability: Floats) -> Floats:
    clipped = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def _numbered_by_first(labels: Labels) -> Labels:
    """Stories numbered from 0 in the order of their first sentences."""
    _, firsts, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(firsts.argsort().argsort()[inverse], dtype=np.int64)


CLUSTERERS: dict[str, Callable[[Floats, int, int], Labels]] = {
    "correlation": lambda scores, k, seed: correlation_clusters(_log_odds(scores), k),
    "hac": lambda scores, k, seed: average_linkage(distances(scores), k),
    "kmedoids": lambda scores, k, seed: kmedoids(distances(scores), k, random.Random(seed)),
    "kmedoids-exact": lambda scores, k, seed: best_medoids(distances(scores), k),
    "spectral": lambda scores, k, seed: spectral(scores, k),
}
