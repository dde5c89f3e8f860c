"""Clustering metrics: clustering accuracy, ARI, NMI, variation of information, BCubed and others.

All lie between 0 and 1 except ARI, which may be negative, and VI, which is in bits and better when
smaller. A sentence that occurs in several sources is correct under any of them: its gold label is
the one of its labels that the optimal assignment of clustering accuracy gives it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.salads.items import Grouping, Salad
from fabula.task import Score

__all__ = [
    "METRICS",
    "ari",
    "bcubed",
    "ca",
    "clustering_accuracy",
    "contingency",
    "exact_f1",
    "k_right",
    "nmi",
    "one_to_one",
    "right_sentences",
    "settle",
    "vi",
]


def contingency(gold: NDArray[np.int64], predicted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Contingency table: counts of (gold story, predicted story)."""
    _, rows = np.unique(gold, return_inverse=True)
    _, columns = np.unique(predicted, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    return table


def clustering_accuracy(gold: NDArray[np.int64], predicted: NDArray[np.int64]) -> float:
    """Clustering accuracy: sentences correct under the best one-to-one matching (Hungarian).

    >>> clustering_accuracy(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 2]))
    0.75
    """
    return _matched(contingency(gold, predicted)) / len(gold)


def right_sentences(gold: NDArray[np.int64], predicted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each sentence whether it is correct under the best one-to-one matching of stories."""
    from scipy.optimize import linear_sum_assignment

    rows = np.unique(gold, return_inverse=True)[1]
    columns = np.unique(predicted, return_inverse=True)[1]
    table = contingency(gold, predicted)
    match = np.full(table.shape[1], -1)
    chosen = linear_sum_assignment(table, maximize=True)
    match[chosen[1]] = chosen[0]
    return np.asarray(match[columns] == rows)


def _matched(table: NDArray[np.float64]) -> float:
    from scipy.optimize import linear_sum_assignment

    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def settle(salad: Salad, grouping: Grouping) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Gold and predicted labels; a sentence of several sources gets the label that matches best."""
    from scipy.optimize import linear_sum_assignment

    predicted = np.asarray(grouping.labels, dtype=np.int64)
    options = [salad.right_labels(i) for i in range(len(predicted))]
    gold = np.array([labels[0] for labels in options], dtype=np.int64)
    if not salad.also:
        return gold, predicted
    stories, columns = np.unique(predicted, return_inverse=True)
    table = np.zeros((max(max(labels) for labels in options) + 1, len(stories)))
    for labels, column in zip(options, columns, strict=True):
        table[list(labels), column] += 1  # a hit under any of its labels is a hit
    rows, matched = linear_sum_assignment(table, maximize=True)
    story_of = dict(zip(matched.tolist(), rows.tolist(), strict=True))
    for i, labels in enumerate(options):
        if story_of.get(int(columns[i])) in labels:
            gold[i] = story_of[int(columns[i])]
    return gold, predicted


def _table(salad: Salad, grouping: Grouping) -> NDArray[np.float64]:
    return contingency(*settle(salad, grouping))


def _entropies(table: NDArray[np.float64]) -> tuple[float, float, float]:
    """H(gold), H(predicted) and their joint entropy, in bits."""

    def bits(counts: NDArray[np.float64]) -> float:
        shares = counts[counts > 0] / counts.sum()
        return float(-(shares * np.log2(shares)).sum())

    return bits(table.sum(1)), bits(table.sum(0)), bits(table.ravel())


def ca(salad: Salad, grouping: Grouping) -> Score:
    """Clustering accuracy; see ``clustering_accuracy``."""
    table = _table(salad, grouping)
    return Score(_matched(table) / table.sum())


def ari(salad: Salad, grouping: Grouping) -> Score:
    """Adjusted Rand index (Hubert and Arabie 1985): pair agreement corrected for chance."""
    table = _table(salad, grouping)

    def pairs(counts: NDArray[np.float64]) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, rows, columns = pairs(table), pairs(table.sum(1)), pairs(table.sum(0))
    n = table.sum()
    expected = rows * columns / max(n * (n - 1) / 2, 1.0)
    maximum = (rows + columns) / 2
    return Score(1.0 if maximum == expected else (both - expected) / (maximum - expected))


def nmi(salad: Salad, grouping: Grouping) -> Score:
    """Normalised mutual information, over the arithmetic mean of the entropies."""
    gold, predicted, joint = _entropies(_table(salad, grouping))
    mean = (gold + predicted) / 2
    return Score(1.0 if mean == 0 else max(0.0, (gold + predicted - joint) / mean))


def vi(salad: Salad, grouping: Grouping) -> Score:
    """Variation of information (Meila 2003) in bits: H(gold | predicted) + H(predicted | gold)."""
    gold, predicted, joint = _entropies(_table(salad, grouping))
    return Score(max(0.0, 2 * joint - gold - predicted))


def one_to_one(salad: Salad, grouping: Grouping) -> Score:
    """Clustering accuracy pooled over all sentences instead of averaged over salads."""
    table = _table(salad, grouping)
    return Score(_matched(table), float(table.sum()))


def exact_f1(salad: Salad, grouping: Grouping) -> Score:
    """F1 of stories recovered exactly, without a single error."""
    table = _table(salad, grouping)
    exact = (table == table.sum(1, keepdims=True)) & (table == table.sum(0, keepdims=True))
    return Score(2 * float((exact & (table > 0)).sum()) / sum(table.shape))


def bcubed(salad: Salad, grouping: Grouping) -> Score:
    """BCubed F1 (Bagga and Baldwin 1998): the mean precision and recall over sentences."""
    table = _table(salad, grouping)
    n = table.sum()
    precision = float((table**2 / table.sum(0, keepdims=True)).sum() / n)
    recall = float((table**2 / table.sum(1, keepdims=True)).sum() / n)
    return Score(2 * precision * recall / (precision + recall))


def k_right(salad: Salad, grouping: Grouping) -> Score:
    """1 where the number of stories is correct, else 0."""
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
