"""Link features: the documents of a pile in, an n x n x f array of how each pair compares out.

Most features come twice: as they are, and doubly centred, which says how a pair compares with the
other pairs of its pile. Two reports of two earthquakes are alike; beside two more of each, they
are less alike than the rest. A profile says whether the two are like the same others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fabula.salads.models.documents.terms import DocumentTerms, document_terms
from fabula.salads.models.documents.values import agreement, weekday_likeness
from fabula.text.rarity import rarity

__all__ = ["FEATURES", "link_features"]

Floats = NDArray[np.float32]

_LEAD = 2  # sentences
_TOP_NAMES = 5
_MOST_COUNTED = 3  # mentions of a name beyond which more say nothing
_ROWS = 512  # sentences compared at once
FEATURES = (
    "words", "words, centred", "names and numbers", "names, centred", "lead", "lead, centred",
    "names covered", "names covered, centred", "sentences aligned", "sentences aligned, centred",
    "vectors", "vectors, centred", "main names covered", "main names covered, centred",
    "common words", "numbers", "lead names covered", "rare words shared", "length of the shorter",
    "documents", "values agree", "values agree, centred", "values conflict", "weekdays",
    "numbers, centred", "words, profile", "lead, profile",
)  # fmt: skip


def link_features(documents: Sequence[Sequence[str]], vectors: Sequence[Floats]) -> Floats:
    """Features [n, n, len(FEATURES)] of documents given as sentences and their unit vectors."""
    n = len(documents)
    read = [document_terms(sentences) for sentences in documents]
    spread = Counter(word for terms in read for word in terms.words)

    def in_pile(word: str) -> float:
        return float(np.log((n + 1) / (spread[word] + 1))) + 1

    def weight(word: str) -> float:
        return rarity(word) * in_pile(word)

    index = {word: column for column, word in enumerate(spread)}
    words = _cosines([terms.words for terms in read], index, weight)
    names = _cosines([terms.names for terms in read], index, weight)
    named = _cosines([terms.names + terms.numbers for terms in read], index, in_pile)
    lead = _cosines([terms.lead for terms in read], index, weight)
    covered = _covered(read, index, _all_names)
    main = _covered(read, index, _main_names)
    opening = _covered(read, index, _lead_names)
    aligned = _aligned(vectors)
    mean = np.stack([part.mean(axis=0) for part in vectors])
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
    likeness = mean @ mean.T
    present = _matrix([dict.fromkeys(terms.words, 1.0) for terms in read], index)
    weights = [weight(word) for word in index] or [0.0]  # a pile may hold no word at all: emoji
    rare = (present @ sparse.diags(weights) @ present.T).toarray()
    length = np.log1p([len(sentences) for sentences in documents])
    numbers = [terms.numbers for terms in read]
    agree, conflict = agreement(documents)
    layers = [
        words, _centred(words), named, _centred(names), lead, _centred(lead),
        _both_ways(covered), _centred(_both_ways(covered)),
        _both_ways(aligned), _centred(_both_ways(aligned)),
        likeness, _centred(likeness), _both_ways(main), _centred(_both_ways(main)),
        _cosines([terms.common for terms in read], index, weight),
        _cosines(numbers, index, lambda word: 1.0),
        np.minimum(opening, opening.T), np.log1p(rare), np.minimum.outer(length, length),
        np.full((n, n), np.log1p(n)),
        agree, _centred(agree), conflict, weekday_likeness(documents),
        _centred(_cosines(numbers, index, in_pile)), _profiles(_centred(words)),
        _profiles(_centred(lead)),
    ]  # fmt: skip
    return np.stack(layers, axis=-1).astype(np.float32)


Weight = Callable[[str], float]
Index = dict[str, int]


def _matrix(bags: Sequence[dict[str, float]], index: Index) -> sparse.csr_matrix:
    rows = [row for row, bag in enumerate(bags) for _ in bag]
    columns = [index[word] for bag in bags for word in bag]
    values = [value for bag in bags for value in bag.values()]
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(bags), len(index) or 1))


def _cosines(bags: Iterable[Counter[str]], index: Index, weight: Weight) -> NDArray[np.float64]:
    """TF-IDF cosines; a document without any such word is unlike all others."""
    weighted = _matrix(
        [{w: (1 + float(np.log(times))) * weight(w) for w, times in bag.items()} for bag in bags],
        index,
    )
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    rows = sparse.diags(1 / np.maximum(lengths, 1e-9)) @ weighted
    return np.asarray((rows @ rows.T).toarray())


def _all_names(terms: DocumentTerms) -> dict[str, float]:
    return {w: rarity(w) * min(times, _MOST_COUNTED) for w, times in terms.names.items()}


def _main_names(terms: DocumentTerms) -> dict[str, float]:
    ranked = sorted(terms.names.items(), key=lambda name: (-name[1] * rarity(name[0]), name[0]))
    return {word: 1.0 for word, _ in ranked[:_TOP_NAMES]}


def _lead_names(terms: DocumentTerms) -> dict[str, float]:
    return {word: rarity(word) for word in sorted(terms.lead_names)}


def _covered(
    read: Sequence[DocumentTerms], index: Index, names: Callable[[DocumentTerms], dict[str, float]]
) -> NDArray[np.float64]:
    """[i, j]: the weighted share of the names of i that j mentions; .5 where i has none."""
    weights = _matrix([names(terms) for terms in read], index)
    present = _matrix([dict.fromkeys(terms.words, 1.0) for terms in read], index)
    totals = np.asarray(weights.sum(axis=1)).ravel()
    shares = (weights @ present.T).toarray() / np.maximum(totals, 1e-9)[:, None]
    return np.where(totals[:, None] > 0, shares, 0.5)


def _aligned(vectors: Sequence[Floats]) -> NDArray[np.float64]:
    """[i, j]: the mean over the sentences of i of the highest cosine with a sentence of j."""
    stacked = np.concatenate(vectors)
    starts = np.cumsum([0, *(len(part) for part in vectors[:-1])])
    best = np.concatenate(
        [
            np.maximum.reduceat(stacked[row : row + _ROWS] @ stacked.T, starts, axis=1)
            for row in range(0, len(stacked), _ROWS)
        ]
    )
    sizes = np.array([len(part) for part in vectors])
    return np.asarray(np.add.reduceat(best, starts, axis=0) / sizes[:, None], dtype=np.float64)


def _both_ways(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return (matrix + matrix.T) / 2


def _centred(matrix: NDArray[np.floating]) -> NDArray[np.float64]:
    """Less the mean of its row and of its column, plus the mean of all; the diagonal is left out
    of the means."""
    n = len(matrix)
    if n < 2:
        return np.zeros((n, n))
    rows = (matrix.sum(axis=1) - np.diag(matrix)) / (n - 1)
    return np.asarray(matrix - rows[:, None] - rows[None, :] + rows.mean(), dtype=np.float64)


def _profiles(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """[i, j]: the correlation of rows i and j over the other columns, where there are two."""
    others = len(matrix) - 2
    if others < 2:
        return np.zeros_like(matrix)
    rows = matrix - np.diag(np.diag(matrix))
    sums = rows.sum(axis=1)[:, None] - rows
    squares = (rows**2).sum(axis=1)[:, None] - rows**2 - sums**2 / others
    covariance = rows @ rows.T - sums * sums.T / others
    spread = np.sqrt(np.maximum(squares, 0) * np.maximum(squares.T, 0))
    return np.asarray(covariance / np.maximum(spread, 1e-6))
