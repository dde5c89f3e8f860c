"""The upper layers: MiniLM's last two, trained further, with units that see each other.

They go on from the states of all units of a text, as ``joint`` does, which is smaller and started
from nothing; the two err on different texts. In numpy, so that ordering needs no torch;
``upper_training`` holds the same network for training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.joint import attend, gelu, linear, norm, pooled_pairs

__all__ = ["EPSILON", "upper_logits"]

EPSILON = 1e-12  # what MiniLM's normalisation adds to a variance

Floats = NDArray[np.float32]


def upper_logits(weights: Mapping[str, Floats], states: Sequence[Floats]) -> Floats:
    """n x n log-odds that unit i stands before unit j, antisymmetric, before calibration."""
    unit = np.repeat(np.arange(len(states)), [len(part) for part in states])
    x = np.concatenate(states)
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for layer in range(layers):
        name = f"layers.{layer}."
        seen = linear(weights, f"{name}out", attend(linear(weights, f"{name}qkv", x), unit))
        x = norm(weights, f"{name}n1", x + seen, EPSILON)
        narrow = linear(weights, f"{name}down", gelu(linear(weights, f"{name}up", x)))
        x = norm(weights, f"{name}n2", x + narrow, EPSILON)
    return pooled_pairs(weights, x, unit)
