"""Clustering of sentence vectors with a given number of stories: k-means, PCA and spectral cuts.

Deterministic, for ten to a few hundred sentences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "centre", "fix_signs", "kmeans", "leading", "memberships", "principal", "spectral", "split",
    "unit",
]  # fmt: skip

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

DENSE_UP_TO = 1000  # rows up to which a full eigendecomposition is faster than Lanczos
_START_DIRECTIONS = 8  # leading coordinates whose extreme points start k-means


def unit(vectors: Floats) -> Floats:
    """Rows scaled to length one (L2); a row of zeros stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 1e-9, lengths, 1.0))


def centre(vectors: Floats) -> Floats:
    """Rows less their mean over the salad, then scaled to length one.

    What all sentences of a salad share says nothing about which story they belong to.
    """
    return unit(vectors - vectors.mean(axis=0))


def leading(rows: Floats, number: int) -> Floats:
    """n x ``number``: coordinates of the rows along the leading singular vectors, signs fixed.

    From the smaller of the two Gram matrices: a salad mostly has fewer sentences than a vector has
    dimensions, and a book has more.
    """
    if rows.shape[0] <= rows.shape[1]:
        return principal(rows @ rows.T, number)
    return fix_signs(rows @ np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :number])


def principal(matrix: Floats, number: int) -> Floats:
    """n x ``number``: the leading eigenvectors of a symmetric matrix, times root eigenvalues.

    A column whose eigenvalue is not positive is zero.
    """
    if len(matrix) > DENSE_UP_TO and number < len(matrix) // 2:
        from scipy.sparse.linalg import eigsh

        start = np.random.default_rng(0).normal(size=len(matrix))  # seeded: answers repeat
        values, vectors = eigsh(matrix, number, which="LA", v0=start)
    else:
        values, vectors = np.linalg.eigh(matrix)
    order = values.argsort()[::-1][:number]
    roots = np.sqrt(np.where(values[order] > 1e-9, values[order], 0.0))
    return fix_signs(vectors[:, order] * roots)


def fix_signs(columns: Floats) -> Floats:
    """Columns with the largest entry positive: the sign of an eigenvector is arbitrary."""
    largest = columns[np.abs(columns).argmax(axis=0), np.arange(columns.shape[1])]
    return np.asarray(columns * np.where(largest < 0, -1.0, 1.0))


def split(rows: Floats, k: int) -> Labels:
    """k stories of centred rows: by the sign of the first principal coordinate, or k-means."""
    k = min(k, len(rows))
    return _cut(leading(rows, k - 1), k) if k > 1 else np.zeros(len(rows), dtype=np.int64)


def spectral(similarity: Floats, k: int) -> Labels:
    """k stories from the leading eigenvectors of the modularity matrix (Newman 2006).

    Modularity takes off what two sentences share by being similar to all others; left in, the
    first eigenvector would show only that. Negative similarities count as 0.
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
    """Two stories by the sign of the first coordinate, more by k-means."""
    return (points[:, 0] < 0).astype(np.int64) if k == 2 else kmeans(points, k)


def kmeans(points: Floats, k: int) -> Labels:
    """k-means by Lloyd's algorithm from farthest-point starts (Gonzalez 1985), the best of several.

    Each start begins at another extreme point along a leading direction: nothing is random.
    """
    best, best_cost = np.zeros(len(points), dtype=np.int64), np.inf
    directions = points[:, :_START_DIRECTIONS]
    extremes = np.concatenate([directions.argmax(axis=0), directions.argmin(axis=0)])
    for first in np.unique(extremes):
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
        nearest = distances.argmin(axis=1)
        if (nearest == labels).all():
            break
        labels = nearest
        for j in range(len(centres)):
            if (labels == j).any():
                centres[j] = points[labels == j].mean(axis=0)
    distances = ((points - centres[labels]) ** 2).sum(axis=1)
    return labels, float(distances.sum())


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
