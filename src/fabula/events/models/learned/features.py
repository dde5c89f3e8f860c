"""Known events in, two dozen features of each candidate event type out.

The counts of pairs are sparse, so they are asked at several grains: event with event, verb with
verb, verb with event, slot with slot; as a product over the known events (all, and those of each
band of frequency), as a mixture of them, and by the one that says most; and through vectors, in
which events that keep the same cooccurrence are near even if they never met.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import unpack
from fabula.events.models.learned.cooccurrence import Cooccurrence
from fabula.text.idf import idf

__all__ = ["FEATURES", "Features", "event_vectors"]

Floats = NDArray[np.float64]
FEATURES = (
    *("frequency", "pairs_product", "pairs_mixture", "smooth_product", "smooth_mixture"),
    *("near_product", "near_mixture", "verbs_product", "verbs_mixture"),
    *("verb_event_product", "verb_event_mixture", "slots_mean", "slots_sum", "slots_mixture"),
    *("same_verb", "vectors_dot", "vectors_cosine", "documents"),
    *("frequent_product", "common_product", "rare_product"),
    *("closest", "met_share", "met", "closest_verb"),
)
_COMMON = (51, 501)  # frequency ranks: what rare events say is worth more
_NEIGHBOURS = 200  # documents that resemble the chain


class Features:
    """The features of all event types for any known events, from counts and event vectors."""

    def __init__(self, counts: Counts, vectors: NDArray[np.float32]) -> None:
        from scipy import sparse

        self.counts, self.vectors = counts, vectors
        self.lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
        types = counts.types
        self.shares = counts.unigrams / counts.tokens
        self.chain_pairs = Cooccurrence(_square(counts.chain_pairs.symmetric, types), self.shares)
        self.skip_bigrams = Cooccurrence(_square(counts.skip_bigrams.symmetric, types), self.shares)
        self.common = np.digitize(counts.frequency_ranks, _COMMON)
        self.verb, verbs = _numbered([verb for verb, _ in counts.event_types])
        self.slot, slots = _numbered([slot for _, slot in counts.event_types])
        ones = np.ones(types)
        to_verb = sparse.csr_matrix((ones, (np.arange(types), self.verb)), (types, verbs))
        to_slot = sparse.csr_matrix((ones, (np.arange(types), self.slot)), (types, slots))
        self.verb_shares: Floats = np.bincount(self.verb, self.shares).astype(float)
        whole = self.chain_pairs.matrix
        self.verbs = Cooccurrence((to_verb.T @ whole @ to_verb).tocsr(), self.verb_shares)
        self.verb_event = Cooccurrence((to_verb.T @ whole).tocsr(), self.shares)
        self.slot_shares: Floats = np.bincount(self.slot, self.shares).astype(float)
        between = (to_slot.T @ self.chain_pairs.matrix @ to_slot).toarray() + 50 * self.slot_shares
        self.slot_odds = np.log(between / between.sum(1, keepdims=True) / self.slot_shares)
        self._documents()

    def _documents(self) -> None:
        from scipy import sparse

        events, documents = unpack(self.counts.postings.keys)
        shape = (self.counts.types, len(self.counts.documents))
        seen = self.counts.postings.counts.astype(float)
        places = (events.astype(np.int64), documents.astype(np.int64))
        spread = np.bincount(places[0], minlength=shape[0])
        self.idf = idf(spread, shape[1])
        tfidf = sparse.csr_matrix((np.log1p(seen) * self.idf[places[0]], places), shape)
        size = np.sqrt(np.asarray(tfidf.multiply(tfidf).sum(0)).ravel())
        self.tfidf = (tfidf @ sparse.diags(1 / np.maximum(size, 1e-9))).tocsr()
        counted = sparse.csr_matrix((seen, places), shape)
        total = np.asarray(counted.sum(0)).ravel()
        self.contents = (counted @ sparse.diags(1 / np.maximum(total, 1))).tocsc()

    def of(self, known: NDArray[np.int64]) -> NDArray[np.float32]:
        """(event types, features) for the ids of the known events; unseen ones are left out."""
        ids = known[known >= 0]
        n = max(len(ids), 1)
        found: list[Any] = [np.log(self.shares)]
        product, mixture = self.chain_pairs.lift(ids, 20.0)
        found += [product / n**0.5, mixture]
        for cooccurrence, mass in ((self.chain_pairs, 200.0), (self.skip_bigrams, 50.0)):
            product, mixture = cooccurrence.lift(ids, mass)
            found += [product / n, mixture]
        verbs = self.verb[ids]
        product, mixture = self.verbs.lift(verbs, 200.0)
        found += [(product / n)[self.verb], mixture[self.verb]]
        product, mixture = self.verb_event.lift(verbs, 200.0)
        found += [product / n, mixture]
        odds = self.slot_odds[self.slot[ids]] if len(ids) else np.zeros((1, len(self.slot_shares)))
        found += [odds.mean(0)[self.slot], (odds.sum(0) / n**0.5)[self.slot]]
        found += [np.log(np.exp(odds).mean(0))[self.slot], np.isin(self.verb, verbs)]
        middle = self.vectors[ids].sum(0) / n
        along = self.vectors @ middle
        found += [along, along / self.lengths / max(float(np.linalg.norm(middle)), 1e-9)]
        found.append(np.log(self._similar_documents(ids) / self.shares + 0.3))
        found += [*(self.chain_pairs.products(ids, self.common, len(_COMMON) + 1, 200.0) / n**0.5)]
        best, met = self.chain_pairs.largest_lift(ids, 50.0)
        found += [best, met / n, np.log1p(met)]
        found.append(self.verbs.largest_lift(np.unique(verbs), 100.0)[0][self.verb])
        return np.stack(found, axis=1).astype(np.float32)

    def _similar_documents(self, ids: NDArray[np.int64]) -> Floats:
        """The shares of events in the training documents most like the known events."""
        similarity = np.zeros(self.tfidf.shape[1])
        for event in ids.tolist():
            low, high = self.tfidf.indptr[event], self.tfidf.indptr[event + 1]
            similarity[self.tfidf.indices[low:high]] += self.idf[event] * self.tfidf.data[low:high]
        best = np.flatnonzero(similarity)
        if len(best) > _NEIGHBOURS:
            best = best[np.argpartition(-similarity[best], _NEIGHBOURS)[:_NEIGHBOURS]]
        if not len(best):
            return np.zeros(self.counts.types)
        weight = similarity[best] ** 2
        return np.asarray(self.contents[:, best] @ (weight / weight.sum())).ravel()


def event_vectors(counts: Counts, dimension: int) -> NDArray[np.float32]:
    """Vectors from the positive PMI of whole-chain pairs, by a truncated SVD.

    The context's share is raised to 3/4, which keeps rare cooccurrence from looking too telling.
    """
    from scipy import sparse
    from scipy.sparse.linalg import svds

    matrix = _square(counts.chain_pairs.symmetric, counts.types).tocoo()
    sums = np.asarray(matrix.sum(1)).ravel()
    context = sums**0.75 / (sums**0.75).sum()
    value = np.log(matrix.data / sums[matrix.row] / context[matrix.col])
    positive = sparse.csr_matrix((np.maximum(value, 0.0), (matrix.row, matrix.col)), matrix.shape)
    size = min(dimension, counts.types - 2)
    if size < 1:
        return np.zeros((counts.types, 1), np.float32)
    left, strength, _ = svds(positive, k=size, v0=np.ones(counts.types))
    return np.asarray(left * np.sqrt(strength), dtype=np.float32)


def _square(table: Any, types: int) -> Any:
    from scipy import sparse

    shape = (types, types)
    starts, seconds = table.row_starts, table.columns.astype(np.int64)
    return sparse.csr_matrix((table.counts.astype(float), seconds, starts), shape)


def _numbered(names: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    known: dict[str, int] = {}
    ids = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
    return ids, len(known)
