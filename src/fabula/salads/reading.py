"""Whether two sentences are of one story, from sentences that have seen each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "HIDDEN", "same_logits"]

HIDDEN = 128  # numbers that a pair is judged by
FIRST = 2  # layers of MiniLM below this stay as they are: the weights are to stay small

Floats = NDArray[np.float32]


def same_logits(weights: Mapping[str, Floats], units: Floats) -> Floats:
    """n x n log-odds that two sentences are of one story, symmetric, before calibration."""
    near = units @ weights["near.weight"].T
    one = units @ weights["a.weight"].T + weights["a.bias"]
    two = units @ weights["b.weight"].T
    out = weights["w.weight"][0]
    score = near @ near.T / np.float32(2 * HIDDEN**0.5)
    for i, row in enumerate(one):
        score[i] += np.maximum(row + two, 0.0) @ out
    return np.asarray(score + score.T)
