"""Coreference scores of clusters against gold: MUC, B-cubed, entity CEAF, and pairs.

A mention is any hashable value, here the index of its head token. Each score is (recall,
precision, F1). Over many documents the reference scorer adds up the parts of recall and precision
(``score_parts``) before it divides.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

__all__ = ["measure", "score_parts"]

Clusters = Sequence[AbstractSet[Hashable]]
Triple = tuple[float, float, float]
Parts = tuple[float, float, float, float]


def measure(key: Clusters, answer: Clusters) -> dict[str, Triple]:
    """The four scores of predicted clusters against the gold ones (the key).

    >>> measure([{1, 2, 3}], [{1, 2}, {3}])["pairs"]
    (0.3333333333333333, 1.0, 0.5)
    """
    return {name: _triple(*parts) for name, parts in score_parts(key, answer).items()}


def score_parts(key: Clusters, answer: Clusters) -> dict[str, Parts]:
    """Of each score the numerator and denominator of recall, then those of precision."""
    return {
        "MUC": (*_muc(key, answer), *_muc(answer, key)),
        "B3": (*_b3(key, answer), *_b3(answer, key)),
        "CEAF": _ceaf(key, answer),
        "pairs": (*_pairs(key, answer), *_pairs(answer, key)),
    }


def _triple(found: float, there: float, right: float, given: float) -> Triple:
    recall = found / there if there else 0.0
    precision = right / given if given else 0.0
    both = recall + precision
    return recall, precision, 2 * recall * precision / both if both else 0.0


def _cluster_index(clusters: Clusters) -> dict[Hashable, int]:
    return {mention: number for number, group in enumerate(clusters) for mention in group}


def _muc(key: Clusters, answer: Clusters) -> tuple[float, float]:
    """Vilain et al. (1995): links kept over links there are."""
    cluster_of = _cluster_index(answer)
    kept = total = 0
    for group in key:
        pieces = {cluster_of.get(mention, ("alone", mention)) for mention in group}
        kept += len(group) - len(pieces)
        total += len(group) - 1
    return kept, total


def _b3(key: Clusters, answer: Clusters) -> tuple[float, float]:
    """Bagga & Baldwin (1998): for each mention, the share of its entity found with it."""
    cluster_of = _cluster_index(answer)
    total, count = 0.0, 0
    for group in key:
        for mention in group:
            count += 1
            if mention in cluster_of:
                total += len(group & answer[cluster_of[mention]]) / len(group)
    return total, count


def _ceaf(key: Clusters, answer: Clusters) -> Parts:
    """Luo (2005), entities: the best one-to-one alignment by Dice."""
    if not key or not answer:
        return 0.0, len(key), 0.0, len(answer)
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    alike = np.zeros((len(key), len(answer)))
    cluster_of = _cluster_index(answer)
    for row, group in enumerate(key):
        for column in {cluster_of[mention] for mention in group if mention in cluster_of}:
            other = answer[column]
            alike[row, column] = 2 * len(group & other) / (len(group) + len(other))
    rows, columns = linear_sum_assignment(-alike)
    best = float(alike[rows, columns].sum())
    return best, len(key), best, len(answer)


def _pairs(key: Clusters, answer: Clusters) -> tuple[float, float]:
    cluster_of = _cluster_index(answer)
    kept = total = 0
    for group in key:
        total += len(group) * (len(group) - 1) // 2
        sizes: dict[int, int] = {}
        for mention in group:
            if mention in cluster_of:
                sizes[cluster_of[mention]] = sizes.get(cluster_of[mention], 0) + 1
        kept += sum(size * (size - 1) // 2 for size in sizes.values())
    return kept, total
