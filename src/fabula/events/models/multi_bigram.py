"""Multi-argument bigrams of Pichotta and Mooney: skip bigrams over whole events."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from fabula.events.multi import Frame, rewrite
from fabula.events.multicounted import MultiCounted

__all__ = ["MultiBigram"]


class MultiBigram(MultiCounted):
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

    def score(self, frame: Frame, before: Sequence[Frame], after: Sequence[Frame]) -> float:
        pairs = [rewrite(known, frame) for known in before]
        pairs += [rewrite(frame, known) for known in after]
        mass = self.smoothing * self.types_
        return sum(
            log((self.pairs_[pair] + self.smoothing) / (self.firsts_[pair[0]] + mass))
            for pair in pairs
        )
