"""How many stories there are: the criteria by which a number of stories k is chosen.

Pairwise log-odds: the correlation clustering objective less a cost for each story
(``cost_per_sentence`` or ``cost_by_story_length``). Similarities: the mean silhouette.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "StoryCost", "cost_by_story_length", "cost_per_sentence", "k_by_silhouette", "k_for_rows",
    "mean_silhouette",
]  # fmt: skip

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]
StoryCost = Callable[[Floats, int], float]  # n x n log-odds, k -> the cost of k stories

LOG_ODDS_PER_SENTENCE = 1.0  # fitted on the dev part
SAMPLE = 500  # rows from which k is chosen; more only take longer


def cost_per_sentence(log_odds: Floats, k: int) -> float:
    """Every story after the first costs one unit of log-odds for each sentence of the pile.

    Without a cost, weak evidence would break a pile into many small stories.
    """
    return LOG_ODDS_PER_SENTENCE * len(log_odds) * (k - 1)


def cost_by_story_length(log_odds: Floats, k: int) -> float:
    """A cost relative to the mean absolute log-odds, larger where stories are long.

    The strength of the evidence differs between kinds of text; and the number of pairs that a
    split cuts grows with the square of a story's length, as do the errors such pairs share.
    """
    n = len(log_odds)
    strength = float(np.abs(log_odds).sum()) / (n * (n - 1))
    return n * strength * sum(_relative_cost(n / stories) for stories in range(2, k + 1))


def _relative_cost(story_length: float) -> float:
    """The cost of one more story as a share of the evidence; fitted on dev parts."""
    return min(2.2, max(0.8, (story_length / 9) ** 3))


def k_by_silhouette(
    similarity: Floats, cluster: Callable[[int], Labels], most: int = 8, least: float = 0.02
) -> int:
    """The k of the best mean silhouette of ``cluster(k)``, or 1 if none exceeds ``least``."""
    best_k, best_score = 1, least
    for k in range(2, min(most, len(similarity) // 3) + 1):
        score = mean_silhouette(similarity, cluster(k))
        if score > best_score + 1e-9:
            best_k, best_score = k, score
    return best_k


def k_for_rows(
    rows: Floats,
    cluster: Callable[[Floats, int], Labels],
    most: int = 8,
    least: float = 0.02,
) -> int:
    """``k_by_silhouette`` of unit-length rows, from an even sample where there are very many."""
    if len(rows) > SAMPLE:
        rows = rows[np.linspace(0, len(rows) - 1, SAMPLE).astype(int)]
    return k_by_silhouette(rows @ rows.T, lambda k: cluster(rows, k), most, least)


def mean_silhouette(similarity: Floats, labels: Labels) -> float:
    """Mean silhouette (Rousseeuw 1987) with distance 1 - similarity; 0 when there is one story.

    As ``sklearn.metrics.silhouette_score(..., metric="precomputed")``, which refuses a diagonal
    other than zero and as many stories as sentences.
    """
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
    nearest = other.min(axis=1)
    width = (nearest - own) / np.maximum(np.maximum(nearest, own), 1e-9)
    return float(np.where(sizes[labels] > 1, width, 0.0).mean())
