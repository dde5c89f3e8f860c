"""Linking: documents of an index in, candidate pairs with features out, a range at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corpus.links.index import CorpusIndex, candidates, rare_postings
from fabula.assembly.corpus.links.model import (
    PAIR_FEATURES,
    CorpusMeans,
    Pairs,
    TermRows,
    pair_features,
)

__all__ = ["Linker", "joined_pairs"]

Ints = NDArray[np.integer]


class Linker:
    """What is computed once for all documents of an index."""

    def __init__(self, index: CorpusIndex) -> None:
        self.index = index
        self.postings = rare_postings(index)
        self.rows = TermRows(index)
        self.means = CorpusMeans(index.mean_words, index.mean_names, index.mean_vector)

    def among(self, numbers: Ints) -> Pairs:
        """The pairs of the documents numbered so with any others, each pair once, smaller first."""
        index = self.index
        found = candidates(
            index, index.vectors[numbers], index.bags.take(numbers), itself=numbers,
            postings=self.postings,
        )  # fmt: skip
        sizes = [len(some) for some in found]
        return self._compared(np.repeat(numbers, sizes), np.concatenate([*found, _NONE]))

    def of_threads(self, known: int = 0) -> Pairs:
        """Each document from ``known`` on with the one before it in its mail thread."""
        threads = np.asarray(self.index.threads)
        order = np.argsort(threads, kind="stable")
        order = order[threads[order] >= 0]
        same = threads[order[1:]] == threads[order[:-1]]
        one, other = order[:-1][same], order[1:][same]
        new = other >= known
        return self._compared(one[new], other[new])

    def _compared(self, one: Ints, other: Ints) -> Pairs:
        both = np.stack([np.minimum(one, other), np.maximum(one, other)]).astype(np.int64)
        first, second = np.unique(both, axis=1)
        vectors = self.index.vectors
        features = pair_features(
            self.index, self.means, (self.rows, vectors, first), (self.rows, vectors, second)
        )
        return Pairs(first, second, features)


_NONE = np.zeros(0, np.int64)


def joined_pairs(parts: list[Pairs]) -> Pairs:
    """The pairs of several parts, each once, in order."""
    if not parts:
        return Pairs(_NONE, _NONE, np.zeros((0, len(PAIR_FEATURES)), np.float32))
    first = np.concatenate([part.first for part in parts]).astype(np.int64)
    second = np.concatenate([part.second for part in parts]).astype(np.int64)
    features = np.concatenate([part.features for part in parts])
    _, at = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_index=True)
    return Pairs(first[at], second[at], features[at])
