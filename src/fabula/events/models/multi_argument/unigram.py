"""Multi-argument unigram: the most frequent whole events, whatever the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabula.events.models.multi_argument.base import MultiArgumentModel
from fabula.events.models.multi_argument.candidates import ArgumentFillings, Candidates
from fabula.events.models.multi_argument.rewriting import MultiEvent

__all__ = ["MultiUnigram"]


@dataclass(kw_only=True, eq=False, repr=False)
class MultiUnigram(MultiArgumentModel):
    """S(a) = C(a) / N, the event as the entity of its chain sees it.

    Whoever else is in it is some Other: frequency does not say which of the chain's entities.
    """

    registered = "events/multi-unigram"

    recipe: str | None = None
    skip: int = 5
    seed: int = 0

    def score_candidates(
        self,
        before: Sequence[MultiEvent],
        after: Sequence[MultiEvent],
        entities: Sequence[str],
        own: str,
    ) -> Candidates:
        fillings = ArgumentFillings(entities)
        keys, times = self.training_candidates(fillings, own)
        return Candidates(keys, times / self.frames_.total(), fillings, self.names_, self.ids_)
