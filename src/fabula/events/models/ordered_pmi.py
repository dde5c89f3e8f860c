"""Ordered PMI (Jans et al. 2012): pairs count only in the order of the text."""

from __future__ import annotations

import numpy as np

from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.count_model import Floats
from fabula.events.models.pmi import Pmi

__all__ = ["OrderedPmi"]


class OrderedPmi(Pmi):
    """As ``pmi``, with P(c_i -> e) for events before the hole and P(e -> c_i) for those after.

    A test without order has neither: there it is ``pmi``.
    """

    registered = "events/ordered-pmi"

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        if not test.ordered:
            return super().scores(test, counts)
        self._check()
        scores = np.zeros(counts.types)
        for event in counts.encode(test.before).tolist():
            self.add(scores, counts, counts.chain_pairs, event, 1.0)
        for event in counts.encode(test.after).tolist():
            self.add(scores, counts, counts.chain_pairs.transposed, event, 1.0)
        return self.cut(scores, counts)
