"""Multi-argument PMI: how much more often two whole events meet than chance would have it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from fabula.events.multi import Frame, rewrite
from fabula.events.multicounted import MultiCounted

__all__ = ["MultiPmi"]


class MultiPmi(MultiCounted):
    """S(a) = sum_i log P(f', l') / (P(f') P(l')) over the pairs that were seen.

    ``cutoff``: events whose verb was seen less often are not ranked.
    """

    registered = "multi-pmi"

    def __init__(
        self, *, skip: int = 5, cutoff: int = 0, recipe: str | None = None, seed: int = 0
    ) -> None:
        self.skip = skip
        self.cutoff = cutoff
        self.recipe = recipe
        self.seed = seed

    def allowed(self, frame: Frame) -> bool:
        return self.verbs_[frame.verb] >= self.cutoff

    def score(self, frame: Frame, before: Sequence[Frame], after: Sequence[Frame]) -> float:
        pairs = [rewrite(known, frame) for known in before]
        pairs += [rewrite(frame, known) for known in after]
        return sum(
            log(self.pairs_[pair] * self.total_ / (self.firsts_[pair[0]] * self.seconds_[pair[1]]))
            for pair in pairs
            if self.pairs_[pair]
        )
