"""combined: the cross-encoder for the labels; for one event, a regression over it and the lexical
features, with MiniLM's cosines of the sentences and of their documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from fabula.core.model_store import SavedModel, State
from fabula.pairs.items import Pair, Relation, with_answers
from fabula.pairs.models.cross_encoder.model import CrossEncoder
from fabula.pairs.models.lexical import lexical_features

__all__ = ["Combined"]

Floats = NDArray[np.float64]


class Combined(SavedModel):
    """Pairs in, relations out: what ``fabula assemble`` uses. ``c`` is the inverse penalty.

    Only the regression is learnt and saved; the cross-encoder is the one that ships.
    """

    registered, fitted, ships = "pairs/combined", "weights_", True
    weights_file = None
    weights_: dict[str, float]

    def __init__(self, *, c: float = 0.03) -> None:
        self.c = c

    def fit(self, items: Sequence[Pair], dev: Sequence[Pair] = ()) -> Combined:
        """Learn one event from the pairs that have ``same``."""
        from sklearn.linear_model import LogisticRegression

        pairs = [pair for pair in with_answers(items) if pair.same is not None]
        self.weights_ = {"bias": 0.0}
        if len({pair.same for pair in pairs}) < 2:
            return self
        features, _ = self._features(pairs)
        names = list(features[0])
        x = np.array([[row[name] for name in names] for row in features])
        scale = x.std(axis=0) + 1e-9
        learner = LogisticRegression(C=self.c, max_iter=2000)
        learner.fit(x / scale, [pair.same for pair in pairs])
        self.weights_["bias"] = round(float(learner.intercept_[0]), 5)
        for name, weight in zip(names, learner.coef_[0] / scale, strict=True):
            self.weights_[name] = round(float(weight), 5)
        return self

    def relate(self, pairs: Sequence[Pair]) -> list[Relation]:
        self.ensure_trained()
        features, logits = self._features(pairs)
        relations = []
        for row, shares in zip(features, softmax(logits, axis=1), strict=True):
            weights = self.weights_
            total = weights["bias"] + sum(weights.get(n, 0.0) * v for n, v in row.items())
            relations.append(Relation(*map(float, [*shares, expit(total)])))
        return relations

    def _features(self, pairs: Sequence[Pair]) -> tuple[list[dict[str, float]], Floats]:
        """The named features of each pair, and the cross-encoder's logits of the labels."""
        found = CrossEncoder().logits([(pair.a, pair.b) for pair in pairs])
        logits = found["relation"].astype(np.float64)
        features = lexical_features(pairs)
        vectors = _vectors(pairs)
        for row, pair, values, same in zip(features, pairs, logits, found["same"], strict=True):
            row["read_same"] = float(same[0])
            entailment, neutral, contradiction = (float(value) for value in values)
            row["read_clash"], row["read_entailment"] = (
                contradiction - neutral,
                entailment - neutral,
            )
            row["cosine"] = float(vectors[pair.a] @ vectors[pair.b])
            row["context_cosine"] = 0.0
            if pair.context_a and pair.context_b:
                row["context_cosine"] = float(vectors[pair.context_a] @ vectors[pair.context_b])
        return features, logits

    def state(self) -> State:
        return State(values={"weights": self.weights_})

    def restore(self, state: State) -> None:
        self.weights_ = {name: float(value) for name, value in state.values["weights"].items()}
        if "bias" not in self.weights_:
            raise ValueError("its weights lack the bias")


def _vectors(pairs: Sequence[Pair]) -> dict[str, NDArray[np.float32]]:
    from fabula.text.encoders.sentence import minilm

    texts = [text for pair in pairs for text in (pair.a, pair.b, pair.context_a, pair.context_b)]
    distinct = list(dict.fromkeys(text for text in texts if text is not None))
    if not distinct:
        return {}
    return dict(zip(distinct, np.asarray(minilm().encode(distinct)), strict=True))
