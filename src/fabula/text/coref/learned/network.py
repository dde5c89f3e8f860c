"""The antecedent scorer in numpy: features of candidates in, their logits out.

A candidate's score is the mean of a few small networks of its features (``features``). The last
score is that of none; a softmax makes them probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GLOBAL_FEATURES", "Scorer", "softmax"]

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
GLOBAL_FEATURES = 14  # the first features: of the anaphor, equal for all its candidates


class Scorer:
    """An ensemble over features; ``temperature`` is fitted on held-out anaphors."""

    def __init__(self, members: Sequence[Weights], temperature: float = 1.0) -> None:
        self.members = members
        self.temperature = temperature

    def logits(self, features: Floats) -> Floats:
        """The mean logits of the candidates and, last, of none of them."""
        rows = []
        for weights in self.members:
            x = (features - weights["mean"]) / weights["deviation"]
            scores = _mlp(weights, "features", x)
            rows.append(np.append(scores, _none_score(weights, features, scores)))
        return np.asarray(np.mean(rows, axis=0), dtype=np.float32)

    def probabilities(self, features: Floats) -> Floats:
        return softmax(self.logits(features) / np.float32(self.temperature))


def softmax(logits: Floats) -> Floats:
    """Probabilities from logits."""
    exponentials = np.exp(logits - logits.max())
    return np.asarray(exponentials / exponentials.sum(), dtype=np.float32)


def _none_score(weights: Weights, features: Floats, scores: Floats) -> float:
    top = scores.max()
    total = np.log(np.exp(scores - top).sum()) + top
    shared = np.append(features[0, :GLOBAL_FEATURES], 0.2 * total)
    return float(_mlp(weights, "none", shared[None])[0])


def _mlp(weights: Weights, name: str, x: Any) -> Floats:
    """Linear layers ``name.0``, ``name.1`` ... with rectifiers between, to one number a row."""
    layer = 0
    while f"{name}.{layer}.weight" in weights:
        if layer:
            x = np.maximum(x, 0)
        x = x @ weights[f"{name}.{layer}.weight"].T + weights[f"{name}.{layer}.bias"]
        layer += 1
    return np.asarray(x[:, 0], dtype=np.float32)
