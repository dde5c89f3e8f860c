"""Scores of unit order from cross-sentence encodings: pairs, adjacency and opening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text.transformer.joint_inference import Tuned, unpacked
from fabula.text.transformer.spec import Body

__all__ = ["HIDDEN", "Network", "follow_scores", "opening_scores", "pair_logits"]

HIDDEN = 192  # numbers that a pair is judged by
Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]


class Network:
    """A reader with the heads that judge what it has read, from its weights as they are stored."""

    def __init__(self, stored: Mapping[str, NDArray[Any]], body: Body) -> None:
        self.stored = stored
        self.weights = unpacked(stored)
        self.body = body
        self.name = body.name
        size = 2 * body.dimension
        expected = {
            **{f"{name}.weight": (HIDDEN, size) for name in "abcd"},
            **{f"{name}.bias": (HIDDEN,) for name in "ac"},
            **{f"{name}.weight": (1, HIDDEN) for name in "wv"},
            "o.weight": (1, size),
        }
        if {name: self.weights[name].shape for name in expected} != expected:
            raise ValueError(f"its pair scores are not of the sizes {expected}")

    @cached_property
    def reader(self) -> Tuned:
        return Tuned(self.weights, self.body)

    def judge(self, units: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """``pair_logits``, ``follow_scores`` and ``opening_scores`` of units that differ."""
        read = self.reader.read(units)
        follow = follow_scores(self.weights, read)
        np.fill_diagonal(follow, 0.0)  # nothing is known of units that are equal
        return pair_logits(self.weights, read), follow, opening_scores(self.weights, read)


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
