"""Metrics of pairs: accuracy, balanced accuracy, areas under the ROC curve; hypothesis-only items.

A label that negates another (``not_entailment``) is right if the answer is any other than that one.
An area counts a pair only where its label decides it. Metrics that no label of a file allows are
left out. Intervals are bootstraps over pairs; those of an area resample its influence function
(DeLong et al. 1988), which has its value as mean and its variance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.pairs.items import NEGATED, Pair, Relation
from fabula.task import Score

__all__ = [
    "ABLATION_METRICS",
    "METRICS",
    "ablated",
    "accuracy",
    "hypothesis_only",
    "premise_gain",
    "score_many",
]

Floats = NDArray[np.float64]
Totals = tuple[Floats, Floats]


def accuracy(item: Pair, relation: Relation) -> Score:
    """Whether the likeliest label is right; of a pair with ``same`` alone, whether that is.

    >>> accuracy(Pair("1", "Rain.", "No rain.", label="not_entailment"), Relation(0, 0, 1, 1))
    Score(total=1.0, count=1.0)
    """
    if item.label is None and item.same is None:
        raise UsageError(f"pair {item.id!r} has neither label nor same; it cannot be scored")
    if item.label is None:
        return Score(float((relation.same > 0.5) == item.same))
    if item.label in NEGATED:
        return Score(float(relation.label != NEGATED[item.label]))
    return Score(float(relation.label == item.label))


def score_many(
    items: Sequence[Pair], relations: Sequence[Relation], names: Sequence[str]
) -> dict[str, Totals]:
    """Totals and counts of the metrics, each weighted by what it is among all pairs."""
    return {name: _MANY[name](items, relations) for name in names if name in _MANY}


def _accuracies(items: Sequence[Pair], relations: Sequence[Relation]) -> Totals:
    right = [accuracy(*both).total for both in zip(items, relations, strict=True)]
    return np.array(right), np.ones(len(items))


def _balanced(items: Sequence[Pair], relations: Sequence[Relation]) -> Totals:
    """The mean over the labels that occur of the share of its pairs that are right."""
    right, _ = _accuracies(items, relations)
    labels = [item.same if item.label is None else item.label for item in items]
    sizes = Counter(labels)
    weight = np.array([1 / sizes[label] for label in labels])
    return right * weight, weight


def _is_contradiction(item: Pair) -> bool | None:
    if item.label in (None, "not_entailment"):
        return None
    return item.label == "contradiction"


def _area(
    decided: Callable[[Pair], bool | None], score: Callable[[Relation], float]
) -> Callable[[Sequence[Pair], Sequence[Relation]], Totals]:
    def area(items: Sequence[Pair], relations: Sequence[Relation]) -> Totals:
        gold = [decided(item) for item in items]
        scores = np.array([score(relation) for relation in relations])
        totals, counts = np.zeros(len(items)), np.zeros(len(items))
        sides = [np.array([g is side for g in gold], dtype=bool) for side in (True, False)]
        if not all(side.any() for side in sides):
            return totals, counts
        placements = [
            _share_below(scores[sides[0]], scores[sides[1]]),
            1 - _share_below(scores[sides[1]], scores[sides[0]]),
        ]
        value = placements[0].mean()
        for side, placed in zip(sides, placements, strict=True):
            counts[side] = 1 / len(placed)
            totals[side] = (2 * placed - value) / len(placed)
        return totals, counts

    return area


def _share_below(scores: Floats, others: Floats) -> Floats:
    """The share of the others below each score, ties by half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return np.asarray(below / (2 * len(others)))


def hypothesis_only(item: Pair, relation: Relation, ablated: Sequence[Relation]) -> Score:
    """Accuracy where the model reads the second sentence alone; count 0 if it cannot be asked."""
    if not ablated:
        return Score(0.0, 0.0)
    return accuracy(item, ablated[0])


def premise_gain(item: Pair, relation: Relation, ablated: Sequence[Relation]) -> Score:
    """Accuracy with the first sentence less accuracy without it, pair by pair."""
    without = hypothesis_only(item, relation, ablated)
    gain = accuracy(item, relation).total - without.total
    return Score(gain if ablated else 0.0, without.count)


def ablated(
    model: Any, items: Sequence[Pair], seed: int = 0
) -> Callable[[Pair], list[Pair]] | None:
    """A function from a pair to its copy without first sentence; None for a file of answers.

    Gururangan et al. 2018 and Poliak et al. 2018 found labels that the second sentence gives away.
    """
    if getattr(model, "without_context", "") == "never":
        return None
    return lambda item: [replace(item, a="", context_a=None)]


def _undecided(item: Pair, relation: Relation) -> Score:
    """An area has no value for one pair."""
    return Score(0.0, 0.0)


# Of one pair; ``score_many`` has the weights that a pair gets among others.
METRICS: Mapping[str, Callable[[Pair, Relation], Score]] = {
    "accuracy": accuracy,
    "balanced_accuracy": accuracy,
    "AUC_contradiction": _undecided,
    "AUC_same": _undecided,
}
_MANY = {
    "accuracy": _accuracies,
    "balanced_accuracy": _balanced,
    "AUC_contradiction": _area(_is_contradiction, lambda relation: relation.contradiction),
    "AUC_same": _area(lambda item: item.same, lambda relation: relation.same),
}
ABLATION_METRICS = {"hypothesis_only": hypothesis_only, "premise_gain": premise_gain}
