"""Boundary features: a document's sentences in, how each pair of neighbours fits together out.

A digest or a live blog tells several stories one after another; where one ends, the words, the
names and the subject change at once (TextTiling, Hearst 1997). Windows of several widths are
compared, as a single sentence often shares no word with the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.salads.models.documents.terms import sentence_terms
from fabula.text.lexicon import OPENING_ANAPHORS
from fabula.text.rarity import rarity

__all__ = ["BOUNDARY_FEATURES", "boundary_features"]

Floats = NDArray[np.float32]

_WIDTHS = (1, 3, 6)  # sentences on each side
_NEXT, _BEFORE = 4, 10  # sentences whose words are looked for in which others
_NEIGHBOURS = 3  # boundaries on each side with which one is compared
BOUNDARY_FEATURES = (
    "cosine of 1", "cosine of 3", "cosine of 6", "best match before", "best match of the next two",
    "words seen before", "names seen before", "words seen after", "names seen after",
    "opens with a pronoun", "no full stop", "no full stop before", "new names", "valley of 3",
    "valley of names",
)  # fmt: skip


def boundary_features(sentences: Sequence[str], vectors: Floats) -> Floats:
    """[n - 1, features]: row i compares what stands before sentence i + 1 with the rest.

    ``vectors`` are of unit length, a row a sentence.
    """
    n = len(sentences)
    if n < 2:
        return np.zeros((0, len(BOUNDARY_FEATURES)), dtype=np.float32)
    terms = [sentence_terms(sentence) for sentence in sentences]
    words = [frozenset(word for word, _ in row) for row in terms]
    names = [frozenset(word for word, capital in row if capital) for row in terms]
    cosines = [_window_cosines(vectors, width) for width in _WIDTHS]
    rows = np.zeros((n - 1, len(BOUNDARY_FEATURES)), dtype=np.float32)
    for i in range(1, n):
        before = slice(max(0, i - _BEFORE), i)
        near_before, near_after = slice(max(0, i - _NEXT), i), slice(i, i + _NEXT)
        after = slice(i, i + _BEFORE)
        seen = frozenset[str]().union(*words[before])
        coming = frozenset[str]().union(*words[after])
        likeness = vectors[before] @ vectors[i : i + 2].T
        new = names[i] - seen
        rows[i - 1, :13] = (
            *(cosine[i - 1] for cosine in cosines),
            likeness[:, 0].max(),
            likeness.max(),
            _share(frozenset[str]().union(*words[near_after]), seen),
            _share(frozenset[str]().union(*names[near_after]), seen),
            _share(frozenset[str]().union(*words[near_before]), coming),
            _share(frozenset[str]().union(*names[near_before]), coming),
            _opens_with_pronoun(sentences[i]),
            _unfinished(sentences[i]),
            _unfinished(sentences[i - 1]),
            min(len(new), 5) / 5,
        )
    for column, source in ((13, 1), (14, 6)):
        rows[:, column] = _valley(rows[:, source])
    return rows


def _window_cosines(vectors: Floats, width: int) -> Floats:
    """Cosines of the mean vectors of ``width`` sentences before and after each boundary."""
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    at = np.arange(1, len(vectors))
    before = sums[at] - sums[np.maximum(at - width, 0)]
    after = sums[np.minimum(at + width, len(vectors))] - sums[at]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return np.asarray((before * after).sum(axis=1) / np.maximum(norms, 1e-9), dtype=np.float32)


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of the words, by rarity, that are among the others; .5 where there is none."""
    total = sum(rarity(word) for word in sorted(words))
    return sum(rarity(word) for word in sorted(words & others)) / total if total else 0.5


def _opens_with_pronoun(sentence: str) -> float:
    first = sentence.split(maxsplit=1)
    return float(bool(first) and first[0].strip("\"'“”‘’").lower() in OPENING_ANAPHORS)


def _unfinished(sentence: str) -> float:
    """Whether it ends without a full stop or the like, as headlines do."""
    return float(not sentence.rstrip(" \"'”’)]").endswith((".", "!", "?", "…", ":", ";")))


def _valley(values: Floats) -> Floats:
    """How far each value lies below the mean of its neighbours."""
    padded = np.pad(values, _NEIGHBOURS, mode="edge")
    width = 2 * _NEIGHBOURS + 1
    around = np.convolve(padded, np.ones(width) / width, mode="valid")
    return np.asarray(around - values, dtype=np.float32)
