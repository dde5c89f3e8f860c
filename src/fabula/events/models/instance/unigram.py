"""Instance-based unigrams: the most frequent events of the documents that resemble the chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.count_model import Floats
from fabula.events.models.instance.base import InstanceModel, occurrences

__all__ = ["InstanceUnigram"]


@dataclass(kw_only=True, eq=False, repr=False)
class InstanceUnigram(InstanceModel):
    """S(e) = (C(e) + w C0(e)/N0) / (N + w), C from documents with ``share`` of the chain's events.

    With ``share`` 1.0 this is the paper's "Uni Exact 100%", with 0.5 its "50%". Fewer than
    ``least`` such documents: one event less is asked for, and so on; with none left, the whole
    corpus counts. ``backed_off_`` says how often each happened. ``weight`` w mixes in the whole
    corpus, C0, so that what those few documents lack is still ranked by frequency. None of share
    and weight has them tuned on the development tests.
    """

    registered = "events/instance-unigram"
    tunable = {  # noqa: RUF012
        "share": (0.5, 1.0, 0.25, 0.75),
        "weight": (30.0, 3.0, 100.0, 300.0, 1000.0),
    }

    share: float | None = 0.5
    weight: float | None = None
    least: int = 1
    skip: int = 2
    recipe: str | None = None
    seed: int = 0

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        found = self.instances(test, counts)
        shares = counts.unigrams / max(counts.tokens, 1)
        if not len(found.documents):
            return np.asarray(shares)
        places, _ = occurrences(counts, found.documents)
        here = np.bincount(counts.event_ids[places], minlength=counts.types)
        weight = self.tuned("weight")
        return np.asarray((here + weight * shares) / (len(places) + weight))
