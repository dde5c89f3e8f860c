"""Clusterers: from vectors to stories. Deterministic, for ten to a few hundred sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "centre",
    "choose_k",
    "find_k",
    "kmeans",
    "leading",
    "memberships",
    "principal",
    "silhouette",
    "spectral",
    "split",
    "unit",
]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_ENOUGH = 500  # sentences to find the number of stories from; more would only take longer
_WHOLE = 1000  # rows up to which all eigenvectors are found sooner than a few
_DIRECTIONS = 8  # in which k-means looks for extreme points to start from


def unit(vectors: Floats) -> Floats:
    """Every row with length one; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 1e-9, lengths, 1.0))


def centre(vectors: Floats) -> Floats:
    """Remove the salad's own mean, then give every row length one.

    What all sentences of a salad share says nothing about which story they belong to.
    """
    return unit(vectors - vectors.mean(axis=0))


def leading(rows: Floats, number: int) -> Floats:
    """Coordinates of the rows along the leading singular vectors, signs fixed.

    Taken from the smaller of the two square matrices: a salad mostly has fewer sentences than a
    vector has numbers, and a book has more.
    """
    if rows.shape[0] <= rows.shape[1]:
        return principal(rows @ rows.T, number)
    return _fix_signs(rows @ np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :number])


def principal(matrix: Floats, number: int) -> Floats:
    """The leading eigenvectors of a symmetric matrix, each times the root of its eigenvalue.

    One whose eigenvalue is not above zero tells nothing apart and is zero.
    """
    if len(matrix) > _WHOLE and number < len(matrix) // 2:
        from scipy.sparse.linalg import eigsh

        start = np.random.default_rng(0).normal(size=len(matrix))  # drawn, but always the same
        values, vectors = eigsh(matrix, number, which="LA", v0=start)
    else:
        values, vectors = np.linalg.eigh(matrix)
    order = values.argsort()[::-1][:number]
    roots = np.sqrt(np.where(values[order] > 1e-9, values[order], 0.0))
    return _fix_signs(vectors[:, order] * roots)


def _fix_signs(columns: Floats) -> Floats:
    """An eigenvector's sign is arbitrary: its largest entry is made positive, to repeat answers."""
    largest = columns[np.abs(columns).argmax(axis=0), np.arange(columns.shape[1])]
    return np.asarray(columns * np.where(largest < 0, -1.0, 1.0))


def split(rows: Floats, k: int) -> Labels:
    """k stories from centred rows: the sign of the leading coordinate, or k-means on k - 1."""
    k = min(k, len(rows))
    return _cut(leading(rows, k - 1), k) if k > 1 else np.zeros(len(rows), dtype=np.int64)


def spectral(similarity: Floats, k: int) -> Labels:
    """k stories from the leading eigenvectors of the similarity (never negative here).

    What two sentences have in common by being much like everything is taken off first (Newman's
    modularity): left in, the first eigenvector would say no more than that.
    """
    n = len(similarity)
    k = min(k, n)
    if k < 2:
        return np.zeros(n, dtype=np.int64)
    weights = np.maximum(similarity, 0.0)
    np.fill_diagonal(weights, 1.0)
    degrees = weights.sum(axis=1)
    expected = np.outer(degrees, degrees) / max(float(degrees.sum()), 1e-9)
    return _cut(principal(weights - expected, k - 1), k)


def _cut(points: Floats, k: int) -> Labels:
    """Two stories by sign, more by k-means."""
    return (points[:, 0] < 0).astype(np.int64) if k == 2 else kmeans(points, k)


def kmeans(points: Floats, k: int) -> Labels:
    """Lloyd's algorithm from farthest-point starts; the best of several, with no random draw."""
    best, best_cost = np.zeros(len(points), dtype=np.int64), np.inf
    # Every start begins at another extreme point: sentences far out along a leading direction.
    ahead = points[:, :_DIRECTIONS]
    firsts = np.unique(np.concatenate([ahead.argmax(axis=0), ahead.argmin(axis=0)]))
    for first in firsts:
        centres = [points[first]]
        for _ in range(k - 1):
            gaps = np.min([((points - c) ** 2).sum(axis=1) for c in centres], axis=0)
            centres.append(points[int(gaps.argmax())])
        labels, cost = _lloyd(points, np.array(centres))
        if cost < best_cost - 1e-9:
            best, best_cost = labels, cost
    return best


def _lloyd(points: Floats, centres: Floats, rounds: int = 50) -> tuple[Labels, float]:
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(rounds):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        new = distances.argmin(axis=1)
        if (new == labels).all():
            break
        labels = new
        for j in range(len(centres)):
            if (labels == j).any():
                centres[j] = points[labels == j].mean(axis=0)
    distances = ((points - centres[labels]) ** 2).sum(axis=1)
    return labels, float(distances.sum())


def silhouette(similarity: Floats, labels: Labels) -> float:
    """Mean silhouette with distance 1 - similarity; 0 when there is one story."""
    k = int(labels.max()) + 1
    if k < 2:
        return 0.0
    member = np.eye(k)[labels]
    sizes = member.sum(axis=0)
    distance = 1.0 - similarity
    totals = distance @ member  # n x k: summed distance of each sentence to each story
    rows = np.arange(len(labels))
    own = totals[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    other = totals / np.maximum(sizes, 1)
    other[rows, labels] = np.inf
    other[:, sizes == 0] = np.inf
    near = other.min(axis=1)
    worth = np.where(sizes[labels] > 1, (near - own) / np.maximum(np.maximum(near, own), 1e-9), 0.0)
    return float(worth.mean())


def choose_k(
    similarity: Floats, divide: Callable[[int], Labels], most: int = 8, least: float = 0.02
) -> int:
    """The number of stories: the best mean silhouette, or 1 when none is better than ``least``."""
    best_k, best_worth = 1, least
    for k in range(2, min(most, len(similarity) // 3) + 1):
        worth = silhouette(similarity, divide(k))
        if worth > best_worth + 1e-9:
            best_k, best_worth = k, worth
    return best_k


def find_k(
    rows: Floats,
    most: int = 8,
    least: float = 0.02,
    divide: Callable[[Floats, int], Labels] = split,
) -> int:
    """``choose_k`` for rows of length one, from a spread sample where there are very many."""
    if len(rows) > _ENOUGH:
        rows = rows[np.linspace(0, len(rows) - 1, _ENOUGH).astype(int)]
    return choose_k(rows @ rows.T, lambda k: divide(rows, k), most, least)


def memberships(rows: Floats, labels: Labels, sharpness: float) -> Floats:
    """n x k probabilities: a softmax over the mean similarity to each story's other sentences."""
    k = int(labels.max()) + 1
    member = np.eye(k)[labels]
    similarity = rows @ rows.T
    np.fill_diagonal(similarity, 0.0)  # a sentence is no evidence for itself
    counts = np.maximum(member.sum(axis=0)[None, :] - member, 1.0)
    logits = sharpness * (similarity @ member) / counts
    logits -= logits.max(axis=1, keepdims=True)
    weights = np.exp(logits)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
