"""The antecedent scorer in numpy: features and token states in, probabilities of candidates out.

A candidate's score is a small network of its features (``features``) plus, where a transformer
read the text, the best score of the anaphor's state with the state of one of its mentions; the
last score is that of none of the candidates. A softmax makes them probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GLOBAL_FEATURES", "Scorer"]

Floats = NDArray[np.float32]
GLOBAL_FEATURES = 12  # the first features: of the anaphor, equal for all its candidates


class Scorer:
    """The network's weights and their use; ``temperature`` is fitted on held-out anaphors."""

    def __init__(self, weights: Mapping[str, Floats], temperature: float = 1.0) -> None:
        self.weights = weights
        self.temperature = temperature

    def probabilities(
        self,
        features: Floats,
        anaphor: Floats | None = None,
        mentions: Sequence[Sequence[Floats]] = (),
    ) -> Floats:
        """Probabilities of the candidates and, last, of none of them.

        ``anaphor`` is the anaphor's token state, ``mentions`` the states of each candidate's
        mentions that the same window holds.
        """
        scores = self._feature_scores(features)
        none = self._none_score(features[0, :GLOBAL_FEATURES], scores)
        if anaphor is not None:
            scores = scores + self._best_pairs(anaphor, mentions)
            none = none + self._mlp("anaphor", anaphor[None])[0]
        logits = np.append(scores, none) / self.temperature
        exponentials = np.exp(logits - logits.max())
        return np.asarray(exponentials / exponentials.sum(), dtype=np.float32)

    def _feature_scores(self, features: Floats) -> Floats:
        x = (features - self.weights["mean"]) / self.weights["deviation"]
        return self._mlp("features", x)

    def _none_score(self, shared: Floats, scores: Floats) -> float:
        top = scores.max()
        total = np.log(np.exp(scores - top).sum()) + top
        return float(self._mlp("none", np.append(shared, 0.2 * total)[None])[0])

    def _best_pairs(self, anaphor: Floats, mentions: Sequence[Sequence[Floats]]) -> Floats:
        rows = [state for states in mentions for state in states]
        best = np.zeros(len(mentions), dtype=np.float32)
        if not rows:
            return best
        states = np.stack(rows)
        repeated = np.broadcast_to(anaphor, states.shape)
        scores = self._mlp("pair", np.concatenate([repeated, states, repeated * states], axis=1))
        start = 0
        for number, candidate in enumerate(mentions):
            end = start + len(candidate)
            if end > start:
                best[number] = scores[start:end].max()
            start = end
        return best

    def _mlp(self, name: str, x: Any) -> Floats:
        """Linear layers ``name.0``, ``name.1`` ... with rectifiers between, to one number a row."""
        layer = 0
        while f"{name}.{layer}.weight" in self.weights:
            if layer:
                x = np.maximum(x, 0)
            weight = self.weights[f"{name}.{layer}.weight"]
            x = x @ weight.T + self.weights[f"{name}.{layer}.bias"]
            layer += 1
        return np.asarray(x[:, 0], dtype=np.float32)
