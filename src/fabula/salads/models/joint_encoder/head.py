"""Log-odds that two sentences are of one story, from their cross-sentence encodings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "HIDDEN", "SEE", "SHARP", "same_logits"]

HIDDEN = 384  # dimensions of the projection whose cosine is taken
FIRST = 2  # layers of MiniLM below this are frozen, which keeps the saved weights small
SEE = -5.0  # initial bias of attention to other sentences: nearly none, as in MiniLM
SHARP = 6.0  # initial log-odds of a cosine of 1

Floats = NDArray[np.float32]


def same_logits(weights: Mapping[str, Floats], units: Floats) -> Floats:
    """n x n log-odds that two sentences are of one story, symmetric, before calibration.

    A cosine after the salad's own mean is removed, sharpened and shifted.
    """
    near = units @ weights["near.weight"].T
    near = near - near.mean(axis=0)
    near /= np.sqrt((near**2).sum(axis=1, keepdims=True) + 1e-6)
    return np.asarray(weights["sharp"] * (near @ near.T) + weights["shift"])
