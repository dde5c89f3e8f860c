"""Groups of documents as the units of a second round: labels and pairs in, joined labels out.

One report of 100 words says little; ten that surely belong together say much. So documents are
first grouped with caution, then the groups are compared as if each were one long text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corpus.links.index import CorpusIndex, Terms
from fabula.assembly.corpus.links.model import CorpusMeans, Pairs, TermRows, pair_features

__all__ = ["GROUP_FEATURES", "Groups", "Spread", "group_pairs"]

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]

GROUP_FEATURES = (
    "mean log-odds of compared documents", "share of documents compared", "best log-odds",
    "size of the smaller", "size of the larger", "mean of what speaks for it",
    "mean log-odds, uncompared ones against it",
)  # fmt: skip
_PROMISING = -3.0  # best log-odds of two documents, below which their groups are not compared
_UNCOMPARED = -1.0


class Groups(NamedTuple):
    """Vectors, terms and sizes of groups of documents."""

    vectors: Floats
    bags: Terms
    sizes: Ints

    @classmethod
    def of(cls, labels: Ints, vectors: Floats, bags: Terms, terms: int) -> Groups:
        """The groups of documents whose labels are 0 to k - 1."""
        k = int(labels.max()) + 1 if len(labels) else 0
        sums = np.zeros((k, vectors.shape[1]), np.float32)
        np.add.at(sums, labels, np.asarray(vectors, np.float32))
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        row = np.repeat(np.asarray(labels, np.int64), np.diff(bags.starts))
        key, inverse = np.unique(row * terms + bags.terms, return_inverse=True)
        counts = np.bincount(inverse, bags.counts, minlength=len(key))
        named = np.bincount(inverse, bags.named, minlength=len(key)) > 0
        starts = np.searchsorted(key // max(terms, 1), np.arange(k + 1))
        aggregated = Terms(
            starts.astype(np.int64), (key % max(terms, 1)).astype(np.int32),
            counts.astype(np.int32), named,
        )  # fmt: skip
        return cls(sums, aggregated, np.bincount(labels, minlength=k))


class Spread(NamedTuple):
    """The number of groups, and in how many of them each term is.

    A name of one long story is in many documents and in few groups, so groups tell better than
    documents what is rare.
    """

    groups: int
    frequency: Ints

    @classmethod
    def of(cls, groups: Groups, terms: int) -> Spread:
        return cls(len(groups.sizes), np.bincount(groups.bags.terms, minlength=terms))


def group_pairs(
    index: CorpusIndex, means: CorpusMeans, groups: Groups, labels: Ints, pairs: Pairs,
    log_odds: Floats, spread: Spread | None = None,
) -> Pairs:  # fmt: skip
    """The pairs of groups between which any two documents were compared and seemed alike.

    ``pairs`` are of documents, ``log_odds`` theirs, ``labels`` the documents' groups. ``spread``
    tells in how many groups a term is, where there are more groups than these.
    """
    k = len(groups.sizes)
    one, other = labels[pairs.first], labels[pairs.second]
    across = one != other
    key = np.minimum(one, other)[across].astype(np.int64) * k + np.maximum(one, other)[across]
    between, inverse = np.unique(key, return_inverse=True)
    values = log_odds[across]
    total = np.bincount(inverse, values, minlength=len(between))
    compared = np.bincount(inverse, minlength=len(between))
    positive = np.bincount(inverse, np.maximum(values, 0), minlength=len(between))
    best = np.full(len(between), -np.inf)
    np.maximum.at(best, inverse, values)
    kept = best > _PROMISING
    between, total, compared = between[kept], total[kept], compared[kept]
    positive, best = positive[kept], best[kept]
    first, second = between // max(k, 1), between % max(k, 1)
    spread = spread or Spread.of(groups, len(index.idf))
    rows = TermRows(index, groups.bags, of=spread.groups, frequency=spread.frequency)
    possible = groups.sizes[first] * groups.sizes[second]
    text = pair_features(
        index, means, (rows, groups.vectors, first), (rows, groups.vectors, second)
    )
    extra = [
        total / np.maximum(compared, 1), compared / possible, best,
        np.log(np.minimum(groups.sizes[first], groups.sizes[second])),
        np.log(np.maximum(groups.sizes[first], groups.sizes[second])),
        positive / possible, (total + _UNCOMPARED * (possible - compared)) / possible,
    ]  # fmt: skip
    return Pairs(first, second, np.column_stack([text, *extra]).astype(np.float32))
