"""Multi-argument unigram: the most frequent whole events, whatever the chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from fabula.events.candidates import Candidates
from fabula.events.fillings import Fillings
from fabula.events.merge import Run
from fabula.events.multi import Frame, Rewritten
from fabula.events.multicounted import MultiCounted

__all__ = ["MultiUnigram"]

_SIGNS = "-OX"  # nobody, somebody else, the entity of the chain


class MultiUnigram(MultiCounted):
    """S(a) = C(a) / N, the event as the entity of its chain sees it.

    Whoever else is in it is some Other: frequency does not say which of the chain's entities.
    """

    registered = "multi-unigram"

    def __init__(self, *, recipe: str | None = None, skip: int = 5, seed: int = 0) -> None:
        self.recipe = recipe
        self.skip = skip
        self.seed = seed

    def _set(self, verbs: list[str], pairs: Run, frames: Counter[Rewritten]) -> None:
        super()._set(verbs, pairs, frames)
        told = [(self.ids_[verb], *map(_SIGNS.index, signs)) for verb, *signs in frames]
        self.told_ = np.array(told, dtype=np.int64)
        self.seen_counts_ = np.fromiter(frames.values(), float, len(frames))

    def scored(
        self, before: Sequence[Frame], after: Sequence[Frame], entities: Sequence[str], own: str
    ) -> Candidates:
        """The score of every whole event that was seen, with ``own`` for the entity it is of."""
        fillings = Fillings(entities)
        verbs, one, two, three = self.told_.T
        side = len(entities) + 2
        who = np.array([0, 1, fillings.numbers.get(own, 1)])
        filled = (who[one] * side + who[two]) * side + who[three]
        once = fillings.allowed[filled]
        keys, place = np.unique((verbs * fillings.size + filled)[once], return_inverse=True)
        counts = np.bincount(place, self.seen_counts_[once], len(keys))
        return Candidates(keys, counts / self.frames_.total(), fillings, self.names_, self.ids_)
