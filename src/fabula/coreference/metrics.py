"""Coreference metrics: GAP's F1, by gender; MUC, B-cubed, CEAF and their mean for clusters.

Scores are pooled over items as the reference scorers do (GAP's; Pradhan et al. 2014): numerators
and denominators are added up before anything is divided. Of a score that is no ratio of two sums
(B-cubed, the mean, the bias) each item has the pooled value plus its influence on it (the
infinitesimal jackknife), so that means, intervals and paired tests of items are those of the score.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.coreference.items import Passage, Resolution
from fabula.errors import UsageError
from fabula.task import Score
from fabula.text.coref.measure import score_parts
from fabula.text.lexicon import PERSONAL_PRONOUNS

__all__ = ["METRICS", "gender_of", "measurable", "score_many"]

Floats = NDArray[np.float64]
_GENDERS = {"F1_masculine": "m", "F1_feminine": "f"}
_GAP = ("F1", *_GENDERS, "bias")
_CLUSTERS = ("MUC", "B3", "CEAF")
_CONLL = (*_CLUSTERS, "CoNLL")


def gender_of(item: Passage) -> str:
    """``m`` or ``f``, the gender of the pronoun asked about; empty without a question."""
    if item.question is None:
        return ""
    start, end = item.question.pronoun
    pronoun = PERSONAL_PRONOUNS.get(item.text[start:end].lower())
    return pronoun.gender if pronoun else ""


def measurable(items: Sequence[Passage]) -> Collection[str]:
    """The metrics these items have gold for."""
    asked = any(item.question is not None for item in items)
    clustered = any(item.clusters is not None for item in items)
    return {*(_GAP if asked else ()), *(_CONLL if clustered else ())}


def _f1(gender: str = "") -> Callable[[Passage, Resolution], Score]:
    def f1(item: Passage, answer: Resolution) -> Score:
        """2 TP / (2 TP + FP + FN) over names, of pronouns of one gender or of all."""
        if item.question is None or (gender and gender_of(item) != gender):
            return Score(0.0, 0.0)
        if item.question.gold is None:
            raise UsageError(f"item {item.id!r} has no gold answer; it cannot be scored")
        meant = [probability >= 0.5 for probability in answer.names]
        both = sum(a and g for a, g in zip(meant, item.question.gold, strict=True))
        return Score(2.0 * both, float(sum(meant) + sum(item.question.gold)))

    return f1


def _pooled_alone(item: Passage, answer: Resolution) -> Score:
    """Nothing: the score exists over many items alone (``score_many``)."""
    return Score(0.0, 0.0)


METRICS: dict[str, Callable[[Passage, Resolution], Score]] = {
    "F1": _f1(),
    **{name: _f1(gender) for name, gender in _GENDERS.items()},
    **dict.fromkeys(("bias", *_CONLL), _pooled_alone),
}


def score_many(
    items: Sequence[Passage], answers: Sequence[Resolution], names: Sequence[str]
) -> Mapping[str, tuple[Any, Any]]:
    """Totals and counts of each score, item by item, in the order of ``names``."""
    clustered = _conll(items, answers) if set(names) & set(_CONLL) else {}
    found: dict[str, tuple[Any, Any]] = {}
    for name in names:
        if name in clustered:
            found[name] = clustered[name]
        else:
            found[name] = _bias(items, answers) if name == "bias" else _sums(name, items, answers)
    return found


def _sums(
    name: str, items: Sequence[Passage], answers: Sequence[Resolution]
) -> tuple[Floats, Floats]:
    scores = [METRICS[name](item, answer) for item, answer in zip(items, answers, strict=True)]
    return np.array([score.total for score in scores]), np.array([score.count for score in scores])


def _bias(items: Sequence[Passage], answers: Sequence[Resolution]) -> tuple[Floats, Floats]:
    """F1 of feminine over F1 of masculine pronouns."""
    rates, influences = [], []
    for name in ("F1_feminine", "F1_masculine"):
        total, count = _sums(name, items, answers)
        rate = total.sum() / count.sum() if count.any() else 0.0
        rates.append(rate)
        influences.append((total - rate * count) / max(count.sum(), 1.0))
    feminine, masculine = rates
    if not masculine:
        return np.zeros(len(items)), np.zeros(len(items))
    change = influences[0] / masculine - influences[1] * feminine / masculine**2
    return feminine / masculine + len(items) * change, np.ones(len(items))


def _conll(
    items: Sequence[Passage], answers: Sequence[Resolution]
) -> dict[str, tuple[Floats, Floats]]:
    """MUC, B-cubed and entity CEAF over exact spans, singletons left out on both sides."""
    scored = np.array([item.clusters is not None for item in items], dtype=float)
    parts = np.zeros((len(_CLUSTERS), len(items), 4))
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        if item.clusters is not None:
            key, given = (
                [set(cluster) for cluster in clusters if len(set(cluster)) > 1]
                for clusters in (item.clusters, answer.clusters)
            )
            measured = score_parts(key, given)
            for number, name in enumerate(_CLUSTERS):
                parts[number, row] = measured[name]
    totals = {name: _linear_f1(parts[k], scored) for k, name in enumerate(_CLUSTERS)}
    totals["CoNLL"] = np.mean(list(totals.values()), axis=0)
    return {name: (total, scored) for name, total in totals.items()}


def _linear_f1(parts: Floats, scored: Floats) -> Floats:
    """The pooled F1 plus each item's influence; ``parts`` are those of ``score_parts``."""
    found, there, right, given = parts.sum(axis=0)
    recall = found / there if there else 0.0
    precision = right / given if given else 0.0
    both = recall + precision
    if not both:
        return np.zeros(len(parts))
    by_recall = 2 * (precision / both) ** 2 * (parts[:, 0] - recall * parts[:, 1]) / there
    by_precision = 2 * (recall / both) ** 2 * (parts[:, 2] - precision * parts[:, 3]) / given
    value = 2 * recall * precision / both
    return np.asarray(scored * value + scored.sum() * (by_recall + by_precision))
