"""lexical: logistic regressions over what the parses of two sentences share and differ in.

Lemmas, names, events and their classes, arguments, numbers, days, negation; where the documents of
the sentences are given, also what these share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from fabula.core.model_store import SavedModel, State
from fabula.pairs.features.contexts import context_features
from fabula.pairs.features.facts import facts_of
from fabula.pairs.features.likeness import pair_features
from fabula.pairs.items import LABELS, Pair, Relation, with_answers

__all__ = ["Lexical", "lexical_features"]

Floats = NDArray[np.float64]


def lexical_features(pairs: Sequence[Pair]) -> list[dict[str, float]]:
    """The named features of some pairs; every sentence is parsed once."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    facts = dict(zip(texts, facts_of(texts), strict=True))
    return [
        {
            **pair_features(facts[p.a], facts[p.b]),
            **context_features(p.a, p.b, facts[p.a], facts[p.b], p.context_a, p.context_b),
        }
        for p in pairs
    ]


class Lexical(SavedModel):
    """Pairs in, relations out; without ``fit`` or ``load`` it uses the weights that ship.

    ``c`` is the inverse of the regressions' penalty. A regression without labelled pairs answers
    by the prior: a third for each label, a half for one event.
    """

    registered, fitted, ships = "pairs/lexical", "regressions_", True
    weights_file = None
    regressions_: dict[str, dict[str, list[float]]]

    def __init__(self, *, c: float = 0.1) -> None:
        self.c = c

    def fit(self, items: Sequence[Pair], dev: Sequence[Pair] = ()) -> Lexical:
        pairs = with_answers(items)
        features = lexical_features(pairs)
        self.regressions_ = {}
        labelled = [i for i, pair in enumerate(pairs) if pair.label in LABELS]
        if len({pairs[i].label for i in labelled}) > 1:
            gold: list[Any] = [LABELS.index(str(pairs[i].label)) for i in labelled]
            self.regressions_["label"] = self._regression([features[i] for i in labelled], gold, 3)
        told = [i for i, pair in enumerate(pairs) if pair.same is not None]
        if len({pairs[i].same for i in told}) > 1:
            gold = [int(bool(pairs[i].same)) for i in told]
            self.regressions_["same"] = self._regression([features[i] for i in told], gold, 2)
        return self

    def _regression(
        self, features: Sequence[Mapping[str, float]], gold: Sequence[int], classes: int
    ) -> dict[str, list[float]]:
        """The weights of each feature by class, as they apply to features that are not scaled."""
        from sklearn.linear_model import LogisticRegression

        names = list(features[0])
        x = np.array([[row[name] for name in names] for row in features])
        scale = x.std(axis=0) + 1e-9
        learner = LogisticRegression(C=self.c, max_iter=2000, class_weight="balanced")
        learner.fit(x / scale, gold)
        weights, bias = np.zeros((classes, len(names))), np.full(classes, -20.0)
        if len(learner.classes_) == 2:
            first, second = learner.classes_
            weights[second], bias[[first, second]] = learner.coef_[0], (0.0, learner.intercept_[0])
        else:
            weights[learner.classes_], bias[learner.classes_] = learner.coef_, learner.intercept_
        rounded = np.round(weights / scale, 5)
        found = {name: rounded[:, at].tolist() for at, name in enumerate(names)}
        return {"bias": np.round(bias, 5).tolist(), **found}

    def relate(self, pairs: Sequence[Pair]) -> list[Relation]:
        self.ensure_trained()
        features = lexical_features(pairs)
        labels = [softmax(self._logits("label", row, 3)) for row in features]
        same = [self._logits("same", row, 2) for row in features]
        return [
            Relation(*map(float, [*shares, expit(logits[1] - logits[0])]))
            for shares, logits in zip(labels, same, strict=True)
        ]

    def _logits(self, name: str, row: Mapping[str, float], classes: int) -> Floats:
        weights = self.regressions_.get(name)
        if weights is None:
            return np.zeros(classes)
        terms = [value * np.array(weights[feature]) for feature, value in row.items()]
        return np.asarray(np.array(weights["bias"]) + np.sum(terms, axis=0))

    def state(self) -> State:
        return State(values={"regressions": self.regressions_})

    def restore(self, state: State) -> None:
        self.regressions_ = dict(state.values["regressions"])
        if not self.regressions_.keys() <= {"label", "same"}:
            raise ValueError(f"unknown regressions: {', '.join(self.regressions_)}")
