"""Multi-argument bigrams of Pichotta and Mooney: skip bigrams over whole events."""

from __future__ import annotations

import numpy as np

from fabula.events.candidates import Floats
from fabula.events.fillings import Ints
from fabula.events.multipaired import MultiPaired

__all__ = ["MultiBigram"]


class MultiBigram(MultiPaired):
    """S(a) = sum_{i<m} log P(a|c_i) + sum_{i>m} log P(c_i|a), every pair rewritten on its own.

    P(l|f) = (C(f', l') + lambda) / (C(f') + |T| lambda), with T the types of rewritten events.
    """

    registered = "multi-bigram"

    def __init__(
        self, *, skip: int = 5, smoothing: float = 0.1, recipe: str | None = None, seed: int = 0
    ) -> None:
        self.skip = skip
        self.smoothing = smoothing
        self.recipe = recipe
        self.seed = seed

    def gain(self, counts: Floats, first: Ints, second: Ints) -> Floats:
        return np.log1p(counts / self.smoothing)

    def unseen(self, first: Ints) -> Floats:
        total = self.firsts_[first] + self.smoothing * self.types_
        return np.asarray(np.log(self.smoothing / total))
