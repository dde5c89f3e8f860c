"""Corpus index: vectors and terms of all documents in, candidate links of some of them out.

Two indexes, never all pairs. Nearest neighbours by an inverted file of vectors (Jégou et al. 2011):
k-means cells, of which those nearest to a document are searched. Shared rare terms by an inverted
index of the terms that few documents have. The arrays lie in a folder, so that every worker opens
them without reading them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fabula.assembly.corpus.store import load_array, save_array

__all__ = ["CorpusIndex", "Terms", "candidates", "number_terms", "rare_postings"]

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]

PROBED = 8  # cells searched for a document
NEAREST = 24  # candidates by vectors, and as many by rare terms
WINDOW = 15  # days
RARE = 100  # documents that a rare term is in at most
_MOST_IN_CELL = 2_000  # of a cell that are compared: a flood of like texts is no square
_ITERATIONS = 6  # of k-means
_SAMPLED = 64  # documents a cell that k-means is run on


@dataclass(frozen=True, slots=True)
class Terms:
    """Rows of term numbers and counts, as a CSR matrix without its columns' weights."""

    starts: Ints
    terms: Ints
    counts: Ints
    named: NDArray[np.bool_]  # whether the term is a name or a number there

    def take(self, numbers: Ints) -> Terms:
        """The rows numbered so."""
        lengths = np.diff(self.starts)[numbers]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.arange(starts[-1]) + np.repeat(
            np.asarray(self.starts)[numbers] - starts[:-1], lengths
        )
        return Terms(starts, self.terms[at], self.counts[at], self.named[at])

    def names_of(self, row: int) -> frozenset[int]:
        """The names and numbers of one row."""
        part = slice(self.starts[row], self.starts[row + 1])
        return frozenset(self.terms[part][self.named[part]].tolist())

    def followed_by(self, other: Terms) -> Terms:
        """These rows, then those of another."""
        return Terms(
            np.concatenate([self.starts, other.starts[1:] + self.starts[-1]]),
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.counts, other.counts]),
            np.concatenate([self.named, other.named]),
        )

    def matrix(self, weights: Floats, *, named: bool = False) -> sparse.csr_matrix:
        """TF-IDF rows of unit length; only names and numbers if ``named``."""
        values = (1 + np.log(self.counts)) * weights[self.terms]
        if named:
            values = np.where(self.named, values, 0.0)
        shape = (len(self.starts) - 1, len(weights))
        rows = sparse.csr_matrix((values.astype(np.float32), self.terms, self.starts), shape=shape)
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        scaled = sparse.diags((1 / np.maximum(lengths, 1e-9)).astype(np.float32)) @ rows
        return sparse.csr_matrix(scaled)


@dataclass(frozen=True, slots=True)
class CorpusIndex:
    """n documents; ``idf`` of m terms, ``frequency`` the documents that each is in.

    ``cell_starts`` and ``cell_members`` list the documents of each cell, nearest to its centre
    first. ``days`` are of publication, 0 where unknown; ``threads`` number mail threads, -1 for
    none.
    """

    vectors: Floats  # n x d, float16, unit length
    centres: Floats
    cell_starts: Ints
    cell_members: Ints
    starts: Ints
    terms: Ints
    counts: Ints
    named: NDArray[np.bool_]
    idf: Floats
    frequency: Ints
    days: Ints
    threads: Ints
    mean_vector: Floats
    mean_words: Floats
    mean_names: Floats

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def bags(self) -> Terms:
        return Terms(self.starts, self.terms, self.counts, self.named)

    @classmethod
    def build(
        cls, vectors: Floats, bags: Terms, *, terms: int, days: Ints, threads: Ints
    ) -> CorpusIndex:
        """The index of all documents; ``terms`` is the number of distinct ones."""
        n = len(vectors)
        frequency = np.bincount(bags.terms, minlength=terms)
        idf = np.log((n + 1) / (frequency + 0.5)).astype(np.float32)
        centres = _centres(vectors, max(1, round(n**0.5)))
        starts, members = _cells(vectors, centres)
        weights = np.asarray(idf, np.float32)
        means = [
            np.asarray(bags.matrix(weights, named=named).mean(axis=0), np.float32).ravel()
            for named in (False, True)
        ]
        return cls(
            vectors.astype(np.float16), centres, starts, members, bags.starts, bags.terms,
            bags.counts, bags.named, idf, frequency.astype(np.int32), days, threads,
            np.asarray(vectors, np.float32).mean(axis=0) if n else np.zeros(0, np.float32),
            *means,
        )  # fmt: skip

    def save(self, folder: Path) -> None:
        for part in fields(self):
            save_array(folder, part.name, getattr(self, part.name))

    @classmethod
    def load(cls, folder: Path) -> CorpusIndex:
        """The arrays of ``save``, mapped into memory."""
        return cls(*(load_array(folder, part.name) for part in fields(cls)))


def _centres(vectors: Floats, count: int) -> NDArray[np.float32]:
    """k-means on evenly drawn rows, by cosine; the start is every so many-th of them."""
    n = len(vectors)
    drawn = np.unique(np.linspace(0, n - 1, min(n, _SAMPLED * count)).astype(np.int64))
    rows = np.asarray(vectors[drawn], np.float32)
    centres = rows[np.linspace(0, len(rows) - 1, count).astype(np.int64)]
    for _ in range(_ITERATIONS):
        nearest = (rows @ centres.T).argmax(axis=1)
        sums = sparse.csr_matrix(
            (np.ones(len(rows), np.float32), (nearest, np.arange(len(rows)))),
            shape=(count, len(rows)),
        ) @ rows  # fmt: skip
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centres)
    return np.asarray(centres, np.float32)


def _cells(vectors: Floats, centres: Floats) -> tuple[Ints, Ints]:
    nearest, cosine = [], []
    for start in range(0, len(vectors), 4096):
        found = np.asarray(vectors[start : start + 4096], np.float32) @ centres.T
        nearest.append(found.argmax(axis=1))
        cosine.append(found.max(axis=1))
    cell = np.concatenate(nearest)
    order = np.lexsort((np.arange(len(cell)), -np.concatenate(cosine), cell))
    starts = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=len(centres)))])
    return starts.astype(np.int64), order.astype(np.int32)


def candidates(
    index: CorpusIndex,
    vectors: Floats,
    bags: Terms,
    *,
    itself: Ints | None = None,
    postings: sparse.csr_matrix | None = None,
    days: Ints | None = None,
) -> list[NDArray[np.int64]]:
    """For each document given, the numbers of those it may be linked with, sorted.

    ``itself``: the numbers of the documents given, where they are in the index; they are no
    candidates of their own. Where documents have dates, those of the same days are candidates
    before those of other days: ``NEAREST`` of all, and half as many more of a window of ``WINDOW``
    days before and after.
    """
    if days is None and itself is not None:
        days = index.days[itself]
    near = _nearest(index, np.asarray(vectors, np.float32), days)
    postings = postings if postings is not None else rare_postings(index)
    rare = _sharing(index, bags, postings, days)
    found = []
    for row, (some, others) in enumerate(zip(near, rare, strict=True)):
        both = np.union1d(some, others)
        found.append(both if itself is None else both[both != itself[row]])
    return found


def _best(index: CorpusIndex, numbers: Ints, value: Floats, day: int | None) -> NDArray[np.int64]:
    """The numbers of the highest values, and more of them from the days around."""
    order = np.lexsort((numbers, -value))
    ranked = np.asarray(numbers, np.int64)[order]
    best = ranked[: NEAREST + 1]
    if not day:
        return best
    days = np.asarray(index.days[ranked])
    around = ranked[(days > 0) & (np.abs(days - day) <= WINDOW)]
    return np.concatenate([best, around[: NEAREST // 2 + 1]])


def _nearest(index: CorpusIndex, vectors: NDArray[np.float32], asked: Ints | None) -> list[Any]:
    probed = min(PROBED, len(index.centres))
    towards = vectors @ np.asarray(index.centres).T
    cells = np.argsort(-towards, axis=1, kind="stable")[:, :probed]
    kept: list[list[tuple[NDArray[Any], NDArray[Any]]]] = [[] for _ in vectors]
    for cell in np.unique(cells):
        asking = np.flatnonzero((cells == cell).any(axis=1))
        start, end = index.cell_starts[cell], index.cell_starts[cell + 1]
        members = np.asarray(index.cell_members[start : min(end, start + _MOST_IN_CELL)])
        if not len(members):
            continue
        cosines = vectors[asking] @ np.asarray(index.vectors[members], np.float32).T
        most = min(NEAREST + 1, len(members))
        best = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        for at, (asker, columns) in enumerate(zip(asking.tolist(), best, strict=True)):
            kept[asker].append((members[columns], cosines[at, columns]))
    found = []
    for row, parts in enumerate(kept):
        if not parts:
            found.append(np.zeros(0, np.int64))
            continue
        numbers = np.concatenate([part[0] for part in parts]).astype(np.int64)
        cosine = np.concatenate([part[1] for part in parts])
        day = None if asked is None else int(asked[row])
        found.append(_best(index, numbers, np.round(cosine, 5), day))
    return found


def rare_postings(index: CorpusIndex) -> sparse.csr_matrix:
    """Terms x documents, of the terms that at least two and at most ``RARE`` documents have."""
    rare = _rare(index)
    kept = rare[index.terms]
    rows = np.repeat(np.arange(len(index)), np.diff(index.starts))[kept]
    terms = np.asarray(index.terms)[kept]
    shape = (len(index.idf), len(index))
    return sparse.csr_matrix((np.asarray(index.idf)[terms], (terms, rows)), shape=shape)


def _rare(index: CorpusIndex) -> NDArray[np.bool_]:
    frequency = np.asarray(index.frequency)
    return (frequency >= 2) & (frequency <= RARE)


def _sharing(
    index: CorpusIndex, bags: Terms, postings: sparse.csr_matrix, asked: Ints | None
) -> list[Any]:
    """The documents that share most rare terms, weighted by IDF, with each document given."""
    idf = np.asarray(index.idf)
    known = bags.terms < len(idf)
    rare = np.zeros(len(bags.terms), bool)
    frequency = np.asarray(index.frequency)[bags.terms[known]]
    rare[known] = (frequency >= 1) & (frequency <= RARE)
    rows = np.repeat(np.arange(len(bags.starts) - 1), np.diff(bags.starts))[rare]
    terms = np.asarray(bags.terms)[rare]
    asking = sparse.csr_matrix((idf[terms], (rows, terms)), shape=(len(bags.starts) - 1, len(idf)))
    shared = sparse.csr_matrix(asking @ postings)
    found = []
    for row in range(shared.shape[0]):
        start, end = shared.indptr[row], shared.indptr[row + 1]
        numbers, weight = shared.indices[start:end], shared.data[start:end]
        day = None if asked is None else int(asked[row])
        found.append(_best(index, numbers, np.round(weight, 4), day))
    return found


def number_terms(
    bags: Sequence[dict[str, int]], names: Sequence[Sequence[str]], known: dict[str, int]
) -> Terms:
    """Counted words as numbers of ``known``, to which new words are added as they come."""
    starts, terms, counts, named = [0], [], [], []
    for bag, own in zip(bags, names, strict=True):
        telling = set(own)
        row = sorted((known.setdefault(word, len(known)), word) for word in bag)
        for number, word in row:
            terms.append(number)
            counts.append(bag[word])
            named.append(word in telling or word[0].isdigit())
        starts.append(len(terms))
    return Terms(
        np.array(starts, np.int64), np.array(terms, np.int32), np.array(counts, np.int32),
        np.array(named, bool),
    )  # fmt: skip
