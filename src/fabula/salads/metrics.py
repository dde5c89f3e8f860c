"""How well a grouping matches the stories it came from.

All are shares between 0 and 1 except VI, which is in bits and smaller is better. A sentence that
stands in several sources counts as right under any of them: before anything else is computed, its
gold label is the one of its labels that the optimal assignment of CA would give it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.salads.items import Grouping, Salad
from fabula.task import Score

__all__ = ["METRICS", "clustering_accuracy", "contingency", "right_sentences", "settle"]


def contingency(gold: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.float64]:
    """Counts of (gold story, found story) pairs."""
    _, rows = np.unique(gold, return_inverse=True)
    _, columns = np.unique(found, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    return table


def clustering_accuracy(gold: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    """CA: the share of sentences right under the best one-to-one matching of stories.

    >>> clustering_accuracy(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 2]))
    0.75
    """
    return _matched(contingency(gold, found)) / len(gold)


def right_sentences(gold: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which sentences are right under the best one-to-one matching of stories."""
    from scipy.optimize import linear_sum_assignment

    rows = np.unique(gold, return_inverse=True)[1]
    columns = np.unique(found, return_inverse=True)[1]
    table = contingency(gold, found)
    match = np.full(table.shape[1], -1)
    chosen = linear_sum_assignment(table, maximize=True)
    match[chosen[1]] = chosen[0]
    return np.asarray(match[columns] == rows)


def _matched(table: NDArray[np.float64]) -> float:
    from scipy.optimize import linear_sum_assignment

    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def settle(salad: Salad, grouping: Grouping) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Gold and found labels, with every sentence of several sources given its kindest label."""
    from scipy.optimize import linear_sum_assignment

    found = np.asarray(grouping.labels, dtype=np.int64)
    options = [salad.right_labels(i) for i in range(len(found))]
    gold = np.array([labels[0] for labels in options], dtype=np.int64)
    if not salad.also:
        return gold, found
    stories, columns = np.unique(found, return_inverse=True)
    table = np.zeros((max(max(labels) for labels in options) + 1, len(stories)))
    for labels, column in zip(options, columns, strict=True):
        table[list(labels), column] += 1  # a hit under any of its labels is a hit
    rows, matched = linear_sum_assignment(table, maximize=True)
    story_of = dict(zip(matched.tolist(), rows.tolist(), strict=True))
    for i, labels in enumerate(options):
        if story_of.get(int(columns[i])) in labels:
            gold[i] = story_of[int(columns[i])]
    return gold, found


def _table(salad: Salad, grouping: Grouping) -> NDArray[np.float64]:
    return contingency(*settle(salad, grouping))


def _entropies(table: NDArray[np.float64]) -> tuple[float, float, float]:
    """H(gold), H(found) and their joint entropy, in bits."""

    def bits(counts: NDArray[np.float64]) -> float:
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log2(shares)).sum())

    return bits(table.sum(1)), bits(table.sum(0)), bits(table.ravel())


def ca(salad: Salad, grouping: Grouping) -> Score:
    table = _table(salad, grouping)
    return Score(_matched(table) / table.sum())


def ari(salad: Salad, grouping: Grouping) -> Score:
    """Adjusted Rand index: pairs put together or apart rightly, corrected for chance."""
    table = _table(salad, grouping)

    def pairs(counts: NDArray[np.float64]) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(1)), pairs(table.sum(0))
    n = table.sum()
    expected = rows * columns / max(n * (n - 1) / 2, 1.0)
    most = (rows + columns) / 2
    return Score(1.0 if most == expected else (both - expected) / (most - expected))


def nmi(salad: Salad, grouping: Grouping) -> Score:
    """Normalised mutual information, by the arithmetic mean of the entropies."""
    gold, found, joint = _entropies(_table(salad, grouping))
    mean = (gold + found) / 2
    return Score(1.0 if mean == 0 else max(0.0, (gold + found - joint) / mean))


def vi(salad: Salad, grouping: Grouping) -> Score:
    """Variation of information, in bits: what each labelling does not say of the other."""
    gold, found, joint = _entropies(_table(salad, grouping))
    return Score(max(0.0, 2 * joint - gold - found))


def one_to_one(salad: Salad, grouping: Grouping) -> Score:
    """CA pooled over all sentences instead of averaged over salads."""
    table = _table(salad, grouping)
    return Score(_matched(table), float(table.sum()))


def exact_f1(salad: Salad, grouping: Grouping) -> Score:
    """F1 of stories recovered without a single error."""
    table = _table(salad, grouping)
    exact = (table == table.sum(1, keepdims=True)) & (table == table.sum(0, keepdims=True))
    return Score(2 * float((exact & (table > 0)).sum()) / sum(table.shape))


def bcubed(salad: Salad, grouping: Grouping) -> Score:
    """BCubed F1: precision and recall of each sentence's company, averaged over sentences."""
    table = _table(salad, grouping)
    n = table.sum()
    precision = float((table**2 / table.sum(0, keepdims=True)).sum() / n)
    recall = float((table**2 / table.sum(1, keepdims=True)).sum() / n)
    return Score(2 * precision * recall / (precision + recall))


def k_right(salad: Salad, grouping: Grouping) -> Score:
    """Whether the number of stories is right."""
    return Score(float(len(set(salad.labels or ())) == grouping.stories))


METRICS = {
    "CA": ca,
    "ARI": ari,
    "NMI": nmi,
    "VI": vi,
    "one_to_one": one_to_one,
    "exact_f1": exact_f1,
    "bcubed": bcubed,
    "k_right": k_right,
}
