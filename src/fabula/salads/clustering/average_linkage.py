"""Correlation clustering of units: n x n log-odds in, labels and the likely numbers out.

Average linkage (UPGMA) proposes a grouping for every number of stories; local search moves single
units, also into stories of their own. Made for units that carry much evidence each, such as whole
documents; many small units are clustered by ``correlation.correlation_clusters``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.correlation import objective

__all__ = ["Clusters", "linkage_clusters"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_TEMPERATURE = 4.0  # of the objective, for the probability of a number; fitted on training piles
_TRIED = 40  # numbers of stories above that of the linkage whose objective is computed


class Clusters(NamedTuple):
    """``labels`` from 0; ``numbers``: numbers of stories with probabilities, likeliest first."""

    labels: Labels
    numbers: tuple[tuple[int, float], ...]


def linkage_clusters(log_odds: Floats, k: int | None = None) -> Clusters:
    """The grouping of the largest log-odds within stories, of k stories where k is given.

    >>> linkage_clusters(np.array([[0, 2, -2], [2, 0, -2], [-2, -2, 0]])).labels.tolist()
    [0, 0, 1]
    """
    log_odds = np.array(log_odds, dtype=np.float64)
    np.fill_diagonal(log_odds, 0.0)
    n = len(log_odds)
    if n < 2:
        return Clusters(np.zeros(n, dtype=np.int64), ((n, 1.0),))
    merges = _merges(log_odds)
    if k is not None:
        labels = _fixed_search(log_odds, _cut(merges, n, k))
        return Clusters(_numbered(labels), ((k, 1.0),))
    start = _cut(merges, n, n - int((merges[:, 2] < 0).sum()))
    labels = _numbered(_free_search(log_odds, start))
    found = int(labels.max()) + 1
    scores = {found: objective(log_odds, labels)}
    for number in range(1, min(n, found + _TRIED) + 1):
        if number != found:
            scores[number] = objective(log_odds, _cut(merges, n, number))
    return Clusters(labels, _probabilities(scores))


def _merges(log_odds: Floats) -> NDArray[np.float64]:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return np.asarray(linkage(squareform(-log_odds, checks=False), method="average"))


def _cut(merges: NDArray[np.float64], n: int, k: int) -> Labels:
    """The labels after the merges that leave k groups."""
    group = np.arange(2 * n - 1)
    for step in range(n - k):
        group[int(merges[step, 0])] = group[int(merges[step, 1])] = n + step
    for node in range(2 * n - 2, -1, -1):  # a merged node points to one with a higher number
        if group[node] != node:
            group[node] = group[group[node]]
    return np.unique(group[:n], return_inverse=True)[1].astype(np.int64)


def _free_search(log_odds: Floats, labels: Labels) -> Labels:
    """Steepest ascent over moves of one unit, also to a story of its own."""
    n = len(labels)
    rows = np.arange(n)
    for _ in range(10 * n):
        k = int(labels.max()) + 1
        totals = np.hstack([log_odds @ np.eye(k)[labels], np.zeros((n, 1))])
        gain = totals - totals[rows, labels][:, None]
        best = int(gain.argmax())
        if gain.flat[best] <= 1e-9:
            break
        unit, target = divmod(best, k + 1)
        labels[unit] = target
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return labels


def _fixed_search(log_odds: Floats, labels: Labels) -> Labels:
    from fabula.salads.clustering.correlation import local_search

    return local_search(log_odds, labels)


def _numbered(labels: Labels) -> Labels:
    """Labels in the order of their first units."""
    order = {label: number for number, label in enumerate(dict.fromkeys(labels.tolist()))}
    return np.array([order[label] for label in labels.tolist()], dtype=np.int64)


def _probabilities(scores: dict[int, float]) -> tuple[tuple[int, float], ...]:
    values = np.array(list(scores.values())) / _TEMPERATURE
    shares = np.exp(values - values.max())
    shares /= shares.sum()
    ranked = sorted(zip(scores, shares.tolist(), strict=True), key=lambda row: (-row[1], row[0]))
    return tuple(ranked)
