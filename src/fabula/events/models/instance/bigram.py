"""Instance-based bigrams: skip bigrams counted in the documents that resemble the chain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.bigram import Bigram
from fabula.events.models.count_model import Floats
from fabula.events.models.instance.base import InstanceModel, occurrences

__all__ = ["InstanceBigram"]


@dataclass(kw_only=True, eq=False, repr=False)
class InstanceBigram(InstanceModel):
    """The bigram's formula with C(x) and C(y->x) from documents with ``share`` of the events.

    They are added, ``weight`` times, to the counts of the whole corpus: a handful of documents
    says much about few events and nothing about the rest. Backs off as ``instance-unigram`` does.
    """

    registered = "events/instance-bigram"
    tunable = {  # noqa: RUF012
        "share": (1.0, 0.5),
        "weight": (1.0, 0.3, 3.0),
        "smoothing": Bigram.tunable["smoothing"],
    }

    share: float | None = 1.0
    weight: float | None = None
    smoothing: float | None = None
    least: int = 1
    skip: int = 2
    recipe: str | None = None
    seed: int = 0

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        found = self.instances(test, counts)
        shares = counts.unigrams / max(counts.tokens, 1)
        mass = self.tuned("smoothing") * counts.types
        near = _Near(counts, found.documents, self.tuned("weight"))
        before, after = counts.encode(test.before), counts.encode(test.after)
        if not test.ordered:
            before, after = np.append(before, after), after[:0]
        scores: Floats = np.log(shares) * max(len(before), 1)
        if len(after):
            scores -= len(after) * np.log(counts.unigrams + near.unigrams + mass)
        for event in before[before >= 0].tolist():
            pairs = near.follow(event)
            if not test.ordered:
                pairs = pairs + near.lead(event)
            scores += np.log1p(pairs / (mass * shares))
        for event in after[after >= 0].tolist():
            scores += np.log1p(near.lead(event) / (mass * shares[event]))
        return scores


class _Near:
    """Near pairs of one event: those of the whole corpus, and weighted those of some documents."""

    def __init__(self, counts: Counts, documents: NDArray[np.int64], weight: float) -> None:
        self.counts, self.weight = counts, weight
        self.places, self.ends = occurrences(counts, documents)
        self.flat = counts.event_ids[self.places]
        self.unigrams = weight * np.bincount(self.flat, minlength=counts.types)

    def follow(self, event: int) -> Floats:
        """C(event -> e) for every e."""
        return self._count(event, 1)

    def lead(self, event: int) -> Floats:
        """C(e -> event) for every e."""
        return self._count(event, -1)

    def _count(self, event: int, step: int) -> Floats:
        table = self.counts.skip_bigrams if step > 0 else self.counts.skip_bigrams.transposed
        total = np.zeros(self.counts.types)
        others, found = table.row(event)
        total[others] = found
        here = np.flatnonzero(self.flat == event)
        for far in range(1, self.counts.skip + 2):
            there = here + step * far
            inside = (there >= 0) & (there < len(self.flat))
            there, one = there[inside], here[inside]
            # Places of one chain lie together and share its end.
            chain = (self.ends[there] == self.ends[one]) & (
                self.places[there] - self.places[one] == step * far
            )
            np.add.at(total, self.flat[there[chain]], self.weight)
        return total
