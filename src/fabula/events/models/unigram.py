"""Unigram: the most frequent events, whatever the chain (Chambers 2017, eq. 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.count_model import CountModel, Floats

__all__ = ["Unigram"]


@dataclass(kw_only=True, eq=False, repr=False)
class Unigram(CountModel):
    """S(e) = C(e) / N, equation 1 of the paper. The baseline the LM cloze cannot shake off."""

    registered = "events/unigram"

    recipe: str | None = None
    skip: int = 2
    seed: int = 0

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        return np.asarray(counts.unigrams / max(counts.tokens, 1), dtype=float)
