"""Instance-based counts: the training documents that resemble a chain, found by inverted index.

The documents that hold all known events of a chain, or a given share of them, are a small corpus of
their own, which is counted for that one test (Chambers 2017).
"""

from __future__ import annotations

import logging
from abc import ABC
from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import PairTable
from fabula.events.models.count_model import CountModel

__all__ = [
    "InstanceModel",
    "Instances",
    "SharedEvents",
    "documents_with",
    "matching_documents",
    "occurrences",
]

_log = logging.getLogger("fabula.events")


class SharedEvents:
    """What instance-based models have in common: documents that hold ``share`` of a chain's events.

    ``backed_off_`` says how often they were found (``no``), ``fewer`` events had to do, or the
    whole corpus was used (``all``).
    """

    share: float | None
    least: int
    backed_off_: Counter[str]

    @classmethod
    def from_argument(cls, argument: str) -> Self:
        """``instance-unigram:50`` asks for 50 % of the chain's events."""
        if not argument.isdigit() or not 1 <= int(argument) <= 100:
            raise UsageError(f"the share of events is 1 to 100 (per cent); it is {argument!r}")
        model = cls()
        model.share = int(argument) / 100
        return model

    def count_back_off(self, instances: Instances) -> Instances:
        """The instances given, counted in ``backed_off_``."""
        if not hasattr(self, "backed_off_"):
            self.backed_off_ = Counter()
        self.backed_off_[instances.backed_off] += 1
        return instances


class InstanceModel(SharedEvents, CountModel, ABC):
    """Counts for each test from the documents that hold ``share`` of its events."""

    def instances(self, test: EventTest, counts: Counts) -> Instances:
        """The documents that resemble the known events of a test."""
        instances = matching_documents(
            counts, counts.encode(test.events), self.tuned("share"), self.least
        )
        if instances.backed_off == "all":
            _log.debug("test %s: no document resembles it; all are counted", test.id)
        return self.count_back_off(instances)


@dataclass(frozen=True, slots=True)
class Instances:
    """The documents that resemble a chain. ``asked`` events were to match, ``matched`` did.

    No documents at all means that the whole corpus is to be used.
    """

    documents: NDArray[np.int64]
    asked: int
    matched: int

    @property
    def backed_off(self) -> str:
        """``no``; ``fewer`` events had to do; or ``all``: the whole corpus was used."""
        if not len(self.documents):
            return "all"
        return "no" if self.matched >= self.asked else "fewer"


def matching_documents(
    counts: Counts, known: NDArray[np.int64], share: float, least: int
) -> Instances:
    """The documents with ``share`` of the known events, each once; with fewer if that is needed.

    The number of events asked for goes down by one until ``least`` documents have them.
    """
    return documents_with(counts.postings, known, share, least)


def documents_with(
    postings: PairTable, known: NDArray[np.int64], share: float, least: int
) -> Instances:
    """The same by an inverted index: a row of ``postings`` has the documents of one event."""
    different = np.unique(known)
    asked = max(1, ceil(share * len(different)))
    rows = [postings.row(event)[0] for event in different[different >= 0].tolist()]
    if not rows:
        return Instances(np.zeros(0, np.int64), asked, 0)
    found, shared = np.unique(np.concatenate(rows), return_counts=True)
    for matched in range(asked, 0, -1):
        documents = found[shared >= matched]
        if len(documents) >= least:
            return Instances(documents.astype(np.int64), asked, matched)
    return Instances(np.zeros(0, np.int64), asked, 0)


def occurrences(
    counts: Counts, documents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The events of the documents one after the other, and for each the end of its chain."""
    first, last = counts.document_starts[documents], counts.document_starts[documents + 1]
    chains = _ranges(first, last)
    starts, ends = counts.chain_starts[chains], counts.chain_starts[chains + 1]
    places = _ranges(starts, ends)
    return places, np.repeat(ends, ends - starts)


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers from each start up to its end.

    >>> _ranges(np.array([2, 7]), np.array([4, 8])).tolist()
    [2, 3, 7]
    """
    sizes = ends - starts
    offsets = np.cumsum(sizes) - sizes
    return np.repeat(starts - offsets, sizes) + np.arange(int(sizes.sum()))
