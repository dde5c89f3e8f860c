"""Instance-based unigrams: the most frequent events of the documents that resemble the chain."""

from __future__ import annotations

from collections import Counter

import numpy as np

from fabula.errors import UsageError
from fabula.events.cloze import EventTest
from fabula.events.counted import Counted, Floats
from fabula.events.counts import Counts
from fabula.events.instances import matching, occurrences

__all__ = ["InstanceUnigram"]


class InstanceUnigram(Counted):
    """S(e) = (C(e) + w C0(e)/N0) / (N + w), C from documents with ``share`` of the chain's events.

    With ``share`` 1.0 this is the paper's "Uni Exact 100%", with 0.5 its "50%". Fewer than
    ``least`` such documents: one event less is asked for, and so on; with none left, the whole
    corpus counts. ``backed_off_`` says how often each happened. ``weight`` w mixes in the whole
    corpus, C0, so that what those few documents lack is still ranked by frequency. None of share
    and weight has them tuned on the development tests.
    """

    registered = "instance-unigram"
    tunable = {  # noqa: RUF012
        "share": (0.5, 1.0, 0.25, 0.75),
        "weight": (30.0, 3.0, 100.0, 300.0, 1000.0),
    }

    def __init__(
        self,
        *,
        share: float | None = 0.5,
        weight: float | None = None,
        least: int = 1,
        skip: int = 2,
        recipe: str | None = None,
        seed: int = 0,
    ) -> None:
        self.share = share
        self.weight = weight
        self.least = least
        self.skip = skip
        self.recipe = recipe
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> InstanceUnigram:
        """``instance-unigram:100`` asks for 100 % of the chain's events."""
        if not argument.isdigit() or not 1 <= int(argument) <= 100:
            raise UsageError(f"the share of events is 1 to 100 (per cent); it is {argument!r}")
        return cls(share=int(argument) / 100)

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        found = matching(counts, counts.encode(test.events), self.tuned("share"), self.least)
        if not hasattr(self, "backed_off_"):
            self.backed_off_: Counter[str] = Counter()
        self.backed_off_[found.backed_off] += 1
        shares = counts.unigrams / max(counts.tokens, 1)
        if not len(found.documents):
            return np.asarray(shares)
        places, _ = occurrences(counts, found.documents)
        here = np.bincount(counts.flat[places], minlength=counts.types)
        weight = self.tuned("weight")
        return np.asarray((here + weight * shares) / (len(places) + weight))
