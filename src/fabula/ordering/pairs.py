"""What two units say of their order, from units that have seen each other (``text.tuned``)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fabula.text.bodies import Body

__all__ = ["HIDDEN", "follow_scores", "heads_of", "opening_scores", "pair_logits"]

HIDDEN = 192  # numbers that a pair is judged by
Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]


def heads_of(body: Body) -> dict[str, tuple[int, ...]]:
    """The weights read here, and their sizes."""
    return {
        **{f"{name}.weight": (HIDDEN, 2 * body.dimension) for name in "abcd"},
        **{f"{name}.bias": (HIDDEN,) for name in "ac"},
        **{f"{name}.weight": (1, HIDDEN) for name in "wv"},
        "o.weight": (1, 2 * body.dimension),
    }


def pair_logits(weights: Weights, units: Floats) -> Floats:
    """n x n log-odds that unit i stands before unit j, antisymmetric, before calibration."""
    score = _scores(units, weights, "a", "b", "w")
    return score - score.T


def follow_scores(weights: Weights, units: Floats) -> Floats:
    """n x n: how much speaks for unit j right behind unit i."""
    return _scores(units, weights, "c", "d", "v")


def opening_scores(weights: Weights, units: Floats) -> Floats:
    """n: how much speaks for a unit at the very front."""
    return np.asarray(units @ weights["o.weight"][0])


def _scores(units: Floats, weights: Weights, one: str, two: str, out: str) -> Floats:
    first = units @ weights[f"{one}.weight"].T + weights[f"{one}.bias"]
    second = units @ weights[f"{two}.weight"].T
    score = np.empty((len(units), len(units)), dtype=np.float32)
    for i, row in enumerate(first):
        score[i] = np.maximum(row + second, 0.0) @ weights[f"{out}.weight"][0]
    return score
