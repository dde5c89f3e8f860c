"""How telling it is that two sentences share something: the rarer in the pile, the more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

__all__ = ["Rarity"]


class Rarity:
    """1 for something that only two sentences have; sets add up."""

    def __init__(self, marks: Sequence[Iterable[str]]) -> None:
        self.spread = Counter(mark for some in marks for mark in some)
        self.size = len(marks) + 50  # a small pile is no measure of what is common

    def of(self, marks: Iterable[str]) -> float:
        """The summed rarity of the marks."""
        top = math.log(self.size / 2.5)
        # Marks come in sets, whose order is another in every process: fsum does not mind.
        return math.fsum(math.log(self.size / (self.spread[m] + 0.5)) / top for m in marks)
