"""Link model of a corpus: candidate pairs of documents in, log-odds of one story out.

The same kind of evidence and of model as for small piles (``salads/models/documents``): words,
names and vectors, as they are and centred on the corpus. Two networks in turn. The first sees a
pair alone; the second also how the pair compares with the other candidates of both, and which
neighbours they share, since two reports of one long story may share no word and still have the
same neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fabula.assembly.corpus.links.index import CorpusIndex, Terms
from fabula.core.model_store import SavedModel, State
from fabula.salads.models.documents.perceptron import Committee

__all__ = [
    "CONTEXT_FEATURES",
    "PAIR_FEATURES",
    "CorpusLinks",
    "CorpusMeans",
    "Pairs",
    "TermRows",
    "context_features",
    "pair_features",
]

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]

PAIR_FEATURES = (
    "words", "words, centred", "names and numbers", "names, centred", "vectors",
    "vectors, centred", "rare words shared", "rarest word shared", "rarest name shared",
    "names covered, less", "names covered, more", "length of the shorter",
)  # fmt: skip
CONTEXT_FEATURES = (
    *PAIR_FEATURES, "log-odds of the pair alone", "below the best of one",
    "below the best of the other",
    "rank for one", "rank for the other", "neighbours shared", "neighbours shared, weighted",
    "strength of the neighbourhood",
)  # fmt: skip
_AT_ONCE = 20_000  # pairs
_COMMON = 300.0  # documents that have a term, beyond which it is not rare at all; a third, of few


class Pairs(NamedTuple):
    """Documents ``first`` < ``second``, each pair once, and its features."""

    first: Ints
    second: Ints
    features: Floats


class TermRows:
    """Term rows of documents or of groups of them, weighted by how few of ``of`` have a term.

    Likeness is weighted by IDF. Rarity counts a term by the number of documents that have it,
    whatever the size of the corpus: a story's own names are in as many reports as it has.
    """

    def __init__(self, index: CorpusIndex, bags: Terms | None = None, of: int | None = None,
                 frequency: Ints | None = None) -> None:  # fmt: skip
        bags = bags or index.bags
        of = of or len(index)
        frequency = np.asarray(index.frequency if frequency is None else frequency, np.float32)
        idf = np.log((of + 1) / (frequency + 0.5)).astype(np.float32)
        common = min(_COMMON, 1 + of / 3)
        rarity = np.maximum(np.log(common / (frequency + 0.5)), 0.0).astype(np.float32)
        self.words = bags.matrix(idf)
        self.names = bags.matrix(idf, named=True)
        shape = self.words.shape
        rare = rarity[bags.terms]
        self.rare = sparse.csr_matrix((rare, bags.terms, bags.starts), shape=shape)
        rare_names = np.where(bags.named, rare, 0.0).astype(np.float32)
        self.rare_names = sparse.csr_matrix((rare_names, bags.terms, bags.starts), shape=shape)
        weight = np.where(bags.named, np.sqrt(bags.counts) * idf[bags.terms], 0.0)
        row = np.repeat(np.arange(shape[0]), np.diff(bags.starts))
        totals = np.bincount(row, weight, minlength=shape[0])
        share = (weight / np.maximum(totals, 1e-9)[row]).astype(np.float32)
        self.name_shares = sparse.csr_matrix((share, bags.terms, bags.starts), shape=shape)
        present = np.ones(len(bags.terms), np.float32)
        self.present = sparse.csr_matrix((present, bags.terms, bags.starts), shape=shape)
        self.lengths = np.log1p(np.diff(bags.starts)).astype(np.float32)


class CorpusMeans(NamedTuple):
    """Mean rows of the whole corpus, by which likeness is centred."""

    words: Floats
    names: Floats
    vector: Floats

    @classmethod
    def of(cls, index: CorpusIndex, rows: TermRows) -> CorpusMeans:
        return cls(
            np.asarray(rows.words.mean(axis=0)).ravel(),
            np.asarray(rows.names.mean(axis=0)).ravel(),
            np.asarray(index.mean_vector, np.float32),
        )


def pair_features(
    index: CorpusIndex,
    means: CorpusMeans,
    one: tuple[TermRows, Floats, Ints],
    other: tuple[TermRows, Floats, Ints],
) -> NDArray[np.float32]:
    """Features [pairs, len(PAIR_FEATURES)]; each side is rows, vectors and the row numbers."""
    first, second = one[2], other[2]
    parts = [
        _some(index, means, one, other, slice(start, start + _AT_ONCE))
        for start in range(0, len(first), _AT_ONCE)
    ]
    empty = np.zeros((0, len(PAIR_FEATURES)), np.float32)
    return np.concatenate([empty, *parts]) if len(second) else empty


def _some(
    index: CorpusIndex,
    means: CorpusMeans,
    one: tuple[TermRows, Floats, Ints],
    other: tuple[TermRows, Floats, Ints],
    part: slice,
) -> NDArray[np.float32]:
    (rows, vectors, first), (others, other_vectors, second) = one, other
    first, second = first[part], second[part]
    words = _dots(rows.words[first], others.words[second])
    names = _dots(rows.names[first], others.names[second])
    left = np.asarray(vectors[first], np.float32)
    right = np.asarray(other_vectors[second], np.float32)
    cosine = np.einsum("ij,ij->i", left, right)
    shared = rows.rare[first].minimum(others.rare[second])
    shared_names = rows.rare_names[first].minimum(others.rare_names[second])
    covered = np.stack(
        [
            _dots(rows.name_shares[first], others.present[second]),
            _dots(others.name_shares[second], rows.present[first]),
        ]
    )
    layers = [
        words,
        _centred(words, rows.words[first] @ means.words, others.words[second] @ means.words,
                 float(means.words @ means.words)),
        names,
        _centred(names, rows.names[first] @ means.names, others.names[second] @ means.names,
                 float(means.names @ means.names)),
        cosine,
        _centred(cosine, left @ means.vector, right @ means.vector,
                 float(means.vector @ means.vector)),
        np.log1p(np.asarray(shared.sum(axis=1)).ravel()),
        shared.max(axis=1).toarray().ravel(),
        shared_names.max(axis=1).toarray().ravel(),
        covered.min(axis=0),
        covered.max(axis=0),
        np.minimum(rows.lengths[first], others.lengths[second]),
    ]  # fmt: skip
    return np.stack(layers, axis=1).astype(np.float32)


def _dots(left: sparse.csr_matrix, right: sparse.csr_matrix) -> Floats:
    return np.asarray(left.multiply(right).sum(axis=1)).ravel()


def _centred(value: Floats, one: Floats, other: Floats, mean: float) -> Floats:
    return value - one - other + mean


def context_features(
    n: int, pairs: Pairs, log_odds: Floats, earlier: Pairs | None = None
) -> NDArray[np.float32]:
    """The pairs' features and those of their neighbourhoods; ``log_odds`` are the first network's.

    ``earlier`` are pairs that are part of the neighbourhoods and are not asked for; their features
    are one column, the first network's log-odds.

    Features of the two documents of a pair are given smaller first, so that they do not depend on
    the documents' numbers.
    """
    first, second = np.asarray(pairs.first), np.asarray(pairs.second)
    m = len(first)
    ends, values = (first, second), log_odds
    if earlier is not None:
        ends = (np.concatenate([first, earlier.first]), np.concatenate([second, earlier.second]))
        values = np.concatenate([log_odds, earlier.features[:, 0]])
    weight = (1 / (1 + np.exp(-values))).astype(np.float32)
    both = (np.concatenate(ends), np.concatenate(ends[::-1]))
    graph = sparse.csr_matrix((np.concatenate([weight, weight]), both), shape=(n, n))
    best, rank = _standing(n, both, np.concatenate([values, values]))
    rank = np.concatenate([rank[:m], rank[len(values) : len(values) + m]])
    below = np.stack([best[first] - log_odds, best[second] - log_odds], axis=1)
    ranks = np.log1p(np.stack([rank[:m], rank[m:]], axis=1))
    # A document is its own neighbour, so that a pair without a third has something in common.
    graph = graph + sparse.identity(n, dtype=np.float32, format="csr")
    lengths = np.sqrt(np.asarray(graph.multiply(graph).sum(axis=1)).ravel())
    unit = sparse.csr_matrix(sparse.diags(1 / lengths) @ graph)
    strong = graph.copy()
    strong.data = (strong.data > 0.5).astype(np.float32)
    counts = np.asarray(strong.sum(axis=1)).ravel()
    jaccard, weighted = np.zeros(m), np.zeros(m)
    for start in range(0, m, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        common = _dots(strong[first[part]], strong[second[part]])
        jaccard[part] = common / np.maximum(counts[first[part]] + counts[second[part]] - common, 1)
        weighted[part] = _dots(unit[first[part]], unit[second[part]])
    strength = np.minimum(best[first], best[second])
    return np.column_stack(
        [pairs.features, log_odds, np.sort(below, axis=1), np.sort(ranks, axis=1), jaccard,
         weighted, strength]
    ).astype(np.float32)  # fmt: skip


def _standing(n: int, both: tuple[Ints, Ints], log_odds: Floats) -> tuple[Floats, Floats]:
    """The best log-odds of each document, and of each directed pair its rank for its first."""
    order = np.lexsort((both[1], -log_odds, both[0]))
    source = both[0][order]
    starts = np.searchsorted(source, np.arange(n))
    rank = np.zeros(len(order))
    rank[order] = np.arange(len(order)) - starts[source]
    best = np.full(n, -8.0)
    np.maximum.at(best, both[0], log_odds)
    return best, rank


class CorpusLinks(SavedModel):
    """Four networks: two documents alone and among their neighbours, and two groups likewise.

    ``absent_`` are the log-odds of documents that were no candidates, ``least_`` the mean log-odds
    at which they are grouped at first; ``group_absent_`` and ``group_least_`` are those of groups.
    Chosen on development corpora.
    """

    registered, fitted, ships = "assembly/corpus", "pair_", True
    pair_: Committee
    context_: Committee
    group_: Committee
    group_context_: Committee
    absent_: float
    least_: float
    group_absent_: float
    group_least_: float

    def log_odds(
        self, n: int, pairs: Pairs, alone: Floats | None = None, earlier: Pairs | None = None
    ) -> NDArray[np.float64]:
        """The log-odds of candidate pairs of n documents; see ``context_features``."""
        self.ensure_trained()
        alone = self.alone(pairs.features) if alone is None else alone
        return _in_parts(self.context_, context_features(n, pairs, alone, earlier))

    def alone(self, features: Floats) -> NDArray[np.float64]:
        """The first network's log-odds, of pairs without their neighbours."""
        self.ensure_trained()
        return _in_parts(self.pair_, features)

    def between_groups(self, n: int, pairs: Pairs) -> NDArray[np.float64]:
        """The log-odds of pairs of n groups."""
        self.ensure_trained()
        alone = _in_parts(self.group_, pairs.features)
        return _in_parts(self.group_context_, context_features(n, pairs, alone))

    def state(self) -> State:
        arrays = {
            f"{part}.{name}": array
            for part in _NETWORKS
            for name, array in getattr(self, f"{part}_").weights.items()
        }
        calibration = {name: getattr(self, f"{name}_") for name in _CALIBRATION}
        return State(values={"features": list(CONTEXT_FEATURES), **calibration}, arrays=arrays)

    def restore(self, state: State) -> None:
        if tuple(state.values["features"]) != CONTEXT_FEATURES:
            raise ValueError("weights of other features")
        for part in _NETWORKS:
            weights = {
                name.removeprefix(f"{part}."): array
                for name, array in state.arrays.items()
                if name.startswith(f"{part}.")
            }
            setattr(self, f"{part}_", Committee(weights))
        for name in _CALIBRATION:
            setattr(self, f"{name}_", float(state.values[name]))


_NETWORKS = ("pair", "context", "group", "group_context")
_CALIBRATION = ("absent", "least", "group_absent", "group_least")


def _in_parts(committee: Committee, rows: Floats) -> NDArray[np.float64]:
    """In parts of a fixed size: the networks hold all rows at once, many times over."""
    parts = [
        committee.log_odds(rows[start : start + _AT_ONCE])
        for start in range(0, len(rows), _AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)
