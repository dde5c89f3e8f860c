"""coherence: the ending that contradicts nothing told before it, and follows it.

Endings scored by natural-language inference: a wrong ending mostly contradicts the
story, or the mood that its last sentences leave. No part was trained on endings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.endings.items import Ending, Scores
from fabula.endings.models.lm import Lm
from fabula.errors import UsageError
from fabula.ordering.items import Text
from fabula.pairs.items import Pair
from fabula.registry import create_model

__all__ = ["Coherence"]

Floats = NDArray[np.float64]
# Chosen on the development part of Story Cloze's validation file among a few round values.
_ENTAILED, _FOLLOWS, _LIKELY = 0.5, 0.5, 0.2
_LEAST = 1e-4  # probabilities nearer to 0 or 1 say no more


class Coherence:
    """Log-odds that an ending is consistent with the story and comes after it.

    The sum of three parts, each in log-odds: that the last sentence, the last two, and the whole
    story do not contradict the ending (``pairs/cross-encoder``, the mean of the three); half as
    much, that they entail it; half as much, that the ending stands after each sentence
    (``ordering/pairwise``, their mean). ``lm`` adds a fifth of the language model's PMI. A cause is
    read the other way round: the premise after the option.
    """

    without_context = "empty"

    def __init__(self, *, lm: bool = False) -> None:
        self.lm = lm

    @classmethod
    def from_argument(cls, argument: str) -> Coherence:
        """``lm``: with the language model beside it."""
        if argument != "lm":
            raise UsageError(f"coherence takes the argument 'lm' alone; it is {argument!r}")
        return cls(lm=True)

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        totals = _consistency(items) + _FOLLOWS * _order(items)
        if self.lm:
            likely = [score for scores in Lm().score(items) for score in scores]
            totals += _LIKELY * np.array(likely)
        bounds = np.cumsum([len(item.options) for item in items])[:-1]
        return [tuple(map(float, part)) for part in np.split(totals, bounds)] if items else []


def _consistency(items: Sequence[Ending]) -> Floats:
    """Of each option of each item: how sure it is that no part of the story contradicts it."""
    pairs: list[Pair] = []
    owner: list[int] = []
    option = -1
    for item in items:
        context = [sentence.strip() for sentence in item.context if sentence.strip()]
        parts = dict.fromkeys(" ".join(context[-size:]) for size in (1, 2, len(context)))
        for text in item.options:
            option += 1
            for part in filter(None, parts):
                a, b = (text, part) if item.relation == "cause" else (part, text)
                pairs.append(Pair(str(len(pairs)), a, b))
                owner.append(option)
    totals = np.zeros(option + 1)
    if not pairs:
        return totals
    relations = create_model("pairs", "cross-encoder").relate(pairs)
    entailed = _log_odds([relation.entailment for relation in relations])
    contradicted = _log_odds([relation.contradiction for relation in relations])
    np.add.at(totals, owner, _ENTAILED * entailed - contradicted)
    return np.asarray(totals / np.maximum(np.bincount(owner, minlength=len(totals)), 1))


def _order(items: Sequence[Ending]) -> Floats:
    """Of each option: how sure it is that it stands after the sentences of the story."""
    texts = [
        Text(f"{item.id} {number}", (*item.context, option))
        for item in items
        for number, option in enumerate(item.options)
    ]
    answers: Sequence[Any] = create_model("ordering", "pairwise:pairs").order(texts)
    signs = [-1 if item.relation == "cause" else 1 for item in items for _ in item.options]
    rows = [
        sign * _log_odds(answer.before[:-1, -1]).mean() if len(answer.before) > 1 else 0.0
        for sign, answer in zip(signs, answers, strict=True)
    ]
    return np.array(rows, dtype=np.float64)


def _log_odds(probabilities: Any) -> Floats:
    chances = np.clip(np.asarray(probabilities, dtype=np.float64), _LEAST, 1 - _LEAST)
    return np.asarray(np.log(chances) - np.log1p(-chances))
