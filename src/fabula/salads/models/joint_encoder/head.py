"""Log-odds that two sentences are of one story, from their cross-sentence encodings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "HIDDEN", "SEE", "SHARP", "same_logits"]

HIDDEN = 384  # numbers that a pair is judged by
FIRST = 2  # layers of MiniLM below this stay as they are: the weights are to stay small
SEE = -5.0  # how little a sentence looks at others when training begins: as MiniLM, not at all
SHARP = 6.0  # what a cosine of 1 is worth when training begins

Floats = NDArray[np.float32]


def same_logits(weights: Mapping[str, Floats], units: Floats) -> Floats:
    """n x n log-odds that two sentences are of one story, symmetric, before calibration.

    A cosine after the salad's own mean is removed, sharpened and shifted.
    """
    near = units @ weights["near.weight"].T
    near = near - near.mean(axis=0)
    near /= np.sqrt((near**2).sum(axis=1, keepdims=True) + 1e-6)
    return np.asarray(weights["sharp"] * (near @ near.T) + weights["shift"])
