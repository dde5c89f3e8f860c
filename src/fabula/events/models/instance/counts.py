"""Counting on the fly, from the training documents that resemble a chain.

An inverted index says which documents hold an event. The documents that hold all known events of
a chain, or a given share of them, are a small corpus of their own; it is counted for that one test.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from fabula.events.counts.event_counts import Counts

__all__ = ["Instances", "matching", "occurrences"]


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


def matching(counts: Counts, known: NDArray[np.int64], share: float, least: int) -> Instances:
    """The documents with ``share`` of the known events, each once; with fewer if that is needed.

    The number of events asked for goes down by one until ``least`` documents have them.
    """
    different = np.unique(known)
    asked = max(1, ceil(share * len(different)))
    rows = [counts.postings.row(event)[0] for event in different[different >= 0].tolist()]
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
