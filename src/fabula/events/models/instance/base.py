"""What the instance-based models have in common: their share, and how often they back off."""

from __future__ import annotations

from abc import ABC
from collections import Counter
from typing import TypeVar

from fabula.errors import UsageError
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.count_model import Counted
from fabula.events.models.instance.counts import Instances, matching

__all__ = ["Instanced"]

Self = TypeVar("Self", bound="Instanced")


class Instanced(Counted, ABC):
    """Counts for each test from the documents that hold ``share`` of its events.

    ``backed_off_`` says how often they were found (``no``), ``fewer`` events had to do, or the
    whole corpus was used (``all``).
    """

    share: float | None
    least: int
    backed_off_: Counter[str]

    @classmethod
    def from_argument(cls: type[Self], argument: str) -> Self:
        """``instance-unigram:50`` asks for 50 % of the chain's events."""
        if not argument.isdigit() or not 1 <= int(argument) <= 100:
            raise UsageError(f"the share of events is 1 to 100 (per cent); it is {argument!r}")
        model = cls()
        model.share = int(argument) / 100
        return model

    def instances(self, test: EventTest, counts: Counts) -> Instances:
        """The documents that resemble the known events of a test."""
        found = matching(counts, counts.encode(test.events), self.tuned("share"), self.least)
        if not hasattr(self, "backed_off_"):
            self.backed_off_ = Counter()
        self.backed_off_[found.backed_off] += 1
        return found
