"""Correlation clustering (Bansal, Blum and Chawla 2004): from pairwise log-odds to stories.

Input: n x n log-odds that two sentences belong to one story. Output: the labels with the largest
sum of log-odds within stories, by greedy local search from spectral starts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.number_of_stories import StoryCost, cost_per_sentence
from fabula.salads.clustering.vectors import fix_signs, kmeans
from fabula.salads.items import Grouping

__all__ = [
    "correlation_clusters", "local_search", "objective", "spectral_start", "story_log_odds",
    "strongest_links", "with_probabilities",
]  # fmt: skip

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

MOST_STORIES = 12  # tried when the number is not given


def correlation_clusters(
    log_odds: Floats, k: int | None = None, *, story_cost: StoryCost = cost_per_sentence
) -> Labels:
    """Labels of k stories; without k, of the number with the best objective less ``story_cost``."""
    log_odds = np.array(log_odds, dtype=np.float64)
    np.fill_diagonal(log_odds, 0.0)
    n = len(log_odds)
    if n < 2 or k == 1:
        return np.zeros(n, dtype=np.int64)
    if k is not None:
        return local_search(log_odds, spectral_start(log_odds, k))
    candidates = [np.zeros(n, dtype=np.int64)]
    candidates += [
        local_search(log_odds, spectral_start(log_odds, start))
        for start in range(2, min(MOST_STORIES, n) + 1)
    ]
    return max(
        candidates,
        key=lambda labels: (
            objective(log_odds, labels) - story_cost(log_odds, int(labels.max()) + 1)
        ),
    )


def objective(log_odds: Floats, labels: Labels) -> float:
    """The sum of the log-odds of the pairs within stories."""
    return float(log_odds[labels[:, None] == labels[None, :]].sum()) / 2


def spectral_start(log_odds: Floats, k: int) -> Labels:
    """k stories from the leading eigenvectors: by sign for two, by k-means for more."""
    values, vectors = np.linalg.eigh(log_odds)
    leading = fix_signs(vectors[:, ::-1])
    if k == 2:
        labels = (leading[:, 0] < 0).astype(np.int64)
        return labels if labels.any() and not labels.all() else (leading[:, 1] < 0).astype(np.int64)
    scale = np.sqrt(np.maximum(values[::-1][:k], 0.0))
    return kmeans(leading[:, :k] * scale, k)


def local_search(log_odds: Floats, labels: Labels) -> Labels:
    """Steepest ascent: move the sentence that gains most until none gains; no story is emptied."""
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    n, k = len(labels), int(labels.max()) + 1
    rows, sizes = np.arange(n), np.bincount(labels).tolist()
    totals = log_odds @ np.eye(k)[labels]  # n x k: summed log-odds of a sentence with each story
    for _ in range(30 * n):  # every move raises the objective: never reached in practice
        gain = totals - totals[rows, labels][:, None]
        if 1 in sizes:
            gain[np.take(sizes, labels) == 1] = 0.0
        best = int(gain.argmax())
        if gain.flat[best] <= 1e-9:
            break
        sentence, target = divmod(best, k)
        source = int(labels[sentence])
        totals[:, source] -= log_odds[:, sentence]
        totals[:, target] += log_odds[:, sentence]
        sizes[source], sizes[target] = sizes[source] - 1, sizes[target] + 1
        labels[sentence] = target
    return labels


def story_log_odds(log_odds: Floats, labels: Labels) -> Floats:
    """n x k: the mean log-odds of each sentence with the other sentences of each story."""
    log_odds = np.array(log_odds, dtype=np.float64)
    np.fill_diagonal(log_odds, 0.0)
    member = np.eye(int(labels.max()) + 1)[labels]
    others = np.maximum(member.sum(axis=0)[None, :] - member, 1.0)
    return np.asarray(log_odds @ member / others)


def with_probabilities(labels: Labels, logits: Floats) -> list[Grouping]:
    """Groupings of b salads of one size from labels [b, n] and logits [b, n, k].

    The probability of a sentence's story is the softmax over the stories.
    """
    shares = np.exp(logits - logits.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    chosen = np.take_along_axis(shares, labels[:, :, None], axis=2)[:, :, 0]
    return [
        Grouping(tuple(salad_labels), tuple(probabilities))
        for salad_labels, probabilities in zip(labels.tolist(), chosen.tolist(), strict=True)
    ]


def strongest_links(
    log_odds: Floats, labels: Labels, most: int = 3
) -> list[list[tuple[int, float]]]:
    """For each sentence the others of its story with the highest log-odds, those above 0."""
    within = np.where(labels[:, None] == labels[None, :], log_odds, -np.inf)
    np.fill_diagonal(within, -np.inf)
    ranked = np.argsort(-within, axis=1, kind="stable")[:, :most]
    return [
        [(int(j), float(row[j])) for j in columns if row[j] > 0]
        for row, columns in zip(within, ranked, strict=True)
    ]
