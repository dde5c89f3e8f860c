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
    "silhouette",
    "split",
    "unit",
]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_ENOUGH = 500  # sentences to find the number of stories from; more would only take longer
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
    n, dimension = rows.shape
    if n <= dimension:
        values, vectors = np.linalg.eigh(rows @ rows.T)
        top = vectors[:, ::-1][:, :number] * np.sqrt(np.maximum(values[::-1][:number], 0.0))
    else:
        top = rows @ np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :number]
    # An eigenvector's sign is arbitrary: fix it by its largest entry, so that answers repeat.
    largest = top[np.abs(top).argmax(axis=0), np.arange(top.shape[1])]
    return np.asarray(top * np.where(largest < 0, -1.0, 1.0))


def split(rows: Floats, k: int) -> Labels:
    """k stories from centred rows: the sign of the leading coordinate, or k-means on k - 1."""
    if k <= 1 or len(rows) <= 1:
        return np.zeros(len(rows), dtype=np.int64)
    k = min(k, len(rows))
    points = leading(rows, k - 1)
    if k == 2:
        return (points[:, 0] < 0).astype(np.int64)
    return kmeans(points, k)


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
