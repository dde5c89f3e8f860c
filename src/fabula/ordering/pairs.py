"""Which of two units stands first, from units that have seen each other (``text.tuned``)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["HIDDEN", "pair_logits"]

HIDDEN = 192  # numbers that a pair is judged by

Floats = NDArray[np.float32]


def pair_logits(weights: Mapping[str, Floats], units: Floats) -> Floats:
    """n x n log-odds that unit i stands before unit j, antisymmetric, before calibration."""
    one = units @ weights["a.weight"].T + weights["a.bias"]
    two = units @ weights["b.weight"].T
    out = weights["w.weight"][0]
    score = np.empty((len(units), len(units)), dtype=np.float32)
    for i, row in enumerate(one):
        score[i] = np.maximum(row + two, 0.0) @ out
    return score - score.T
