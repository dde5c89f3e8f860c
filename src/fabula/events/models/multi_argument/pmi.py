"""Multi-argument PMI: how much more often two whole events meet than chance would have it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.events.models.multi_argument.candidates import Floats, Ints
from fabula.events.models.multi_argument.pair_base import MultiArgumentPairModel

__all__ = ["MultiPmi"]


@dataclass(kw_only=True, eq=False, repr=False)
class MultiPmi(MultiArgumentPairModel):
    """S(a) = sum_i log P(f', l') / (P(f') P(l')) over the pairs that were seen.

    ``cutoff``: events whose verb was seen less often are not ranked.
    """

    registered = "events/multi-pmi"

    skip: int = 5
    cutoff: int = 0
    recipe: str | None = None
    seed: int = 0

    def allowed(self) -> NDArray[np.bool_]:
        return np.asarray(self.verb_counts_ >= self.cutoff)

    def gain(self, counts: Floats, first: Ints, second: Ints) -> Floats:
        alone = self.firsts_[first] * self.seconds_[second]
        return np.asarray(np.log(counts * self.pairs_.total / alone))

    def unseen(self, first: Ints) -> Floats:
        return np.zeros(len(first))
