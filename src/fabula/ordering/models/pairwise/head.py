"""Scores of unit order from cross-sentence encodings: pairs, adjacency and opening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text.transformer.joint_inference import CrossSentenceEncoder, dequantise
from fabula.text.transformer.spec import Backbone

__all__ = ["HIDDEN", "Network", "follow_scores", "opening_scores", "pair_logits"]

HIDDEN = 192  # hidden units of the pair head and of the adjacency head
Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]


class Network:
    """A cross-sentence encoder with its pair, adjacency and opening heads, from stored weights.

    Stored names: ``a`` and ``b`` project the first and the second unit of the pair head, ``w`` is
    its output layer; ``c``, ``d`` and ``v`` are those of the adjacency head; ``o`` is the opening
    head.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]], backbone: Backbone) -> None:
        self.stored = stored
        self.weights = dequantise(stored)
        self.backbone = backbone
        self.name = backbone.name
        size = 2 * backbone.dimension
        expected = {
            **{f"{name}.weight": (HIDDEN, size) for name in "abcd"},
            **{f"{name}.bias": (HIDDEN,) for name in "ac"},
            **{f"{name}.weight": (1, HIDDEN) for name in "wv"},
            "o.weight": (1, size),
        }
        if {name: self.weights[name].shape for name in expected} != expected:
            raise ValueError(f"its pair scores are not of the sizes {expected}")

    @cached_property
    def reader(self) -> CrossSentenceEncoder:
        return CrossSentenceEncoder(self.weights, self.backbone)

    def judge(self, units: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """``pair_logits``, ``follow_scores`` and ``opening_scores`` of units that differ."""
        read = self.reader.encode(units)
        follow = follow_scores(self.weights, read)
        np.fill_diagonal(follow, 0.0)  # no evidence for a unit after itself
        return pair_logits(self.weights, read), follow, opening_scores(self.weights, read)


def pair_logits(weights: Weights, units: Floats) -> Floats:
    """n x n log-odds that unit i stands before unit j, antisymmetric, before calibration."""
    score = _scores(units, weights, "a", "b", "w")
    return score - score.T


def follow_scores(weights: Weights, units: Floats) -> Floats:
    """n x n scores of unit j right after unit i."""
    return _scores(units, weights, "c", "d", "v")


def opening_scores(weights: Weights, units: Floats) -> Floats:
    """n scores of a unit as the first of the text."""
    return np.asarray(units @ weights["o.weight"][0])


def _scores(
    units: Floats, weights: Weights, first_name: str, second_name: str, output_name: str
) -> Floats:
    """n x n scores of an additive two-layer head: output . relu(first unit + second unit)."""
    first = units @ weights[f"{first_name}.weight"].T + weights[f"{first_name}.bias"]
    second = units @ weights[f"{second_name}.weight"].T
    score = np.empty((len(units), len(units)), dtype=np.float32)
    for i, row in enumerate(first):
        score[i] = np.maximum(row + second, 0.0) @ weights[f"{output_name}.weight"][0]
    return score
