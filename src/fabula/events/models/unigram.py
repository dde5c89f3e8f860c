"""Unigram: the most frequent events, whatever the chain (Chambers 2017, eq. 1)."""

from __future__ import annotations

import numpy as np

from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.count_model import CountModel, Floats

__all__ = ["Unigram"]


class Unigram(CountModel):
    """S(e) = C(e) / N, equation 1 of the paper. The baseline the LM cloze cannot shake off."""

    registered = "events/unigram"

    def __init__(self, *, recipe: str | None = None, skip: int = 2, seed: int = 0) -> None:
        self.recipe = recipe
        self.skip = skip
        self.seed = seed

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        return np.asarray(counts.unigrams / max(counts.tokens, 1), dtype=float)
