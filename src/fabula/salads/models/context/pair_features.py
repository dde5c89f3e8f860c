"""Pair features of the sentences of a salad: the input of the context model.

None of the features says what a sentence is about, only how two sentences of this salad compare
with each other and with the rest of it. Features that know topics are learnt by heart; these
carry over to topics never seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.text.idf import idf
from fabula.text.lexicon import FUNCTION_WORDS, OPENING_ANAPHORS

__all__ = ["FEATURES", "pair_features", "shared_terms"]

Floats = NDArray[np.float32]

FEATURES = (
    "cosine",
    "centred cosine",
    "doubly centred cosine",
    "rank of cosine",
    "word cosine",
    "centred word cosine",
    "letter cosine",
    "centred letter cosine",
    "shared names",
    "shared names, by rarity",
    "words only these two share",
    "shared numbers",
    "near in years",
    "both have years",
    "both open with a pronoun",
    "one opens with a pronoun",
    "names in both",
    "length",
    "read together",
    "centred read together",
)

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"(?:1[0-9]|20)[0-9]{2}")


class _SentenceTerms:
    """The words, names, numbers, years and letter 4-grams of a sentence."""

    def __init__(self, text: str) -> None:
        raw = _WORD.findall(text)
        lower = [word.lower() for word in raw]
        self.words = [w for w in lower if w not in FUNCTION_WORDS and len(w) > 1]
        # A capital inside a sentence is a name; at its start it is one if the word is not common.
        self.names = {
            low
            for position, (word, low) in enumerate(zip(raw, lower, strict=True))
            if word[0].isupper()
            and low not in FUNCTION_WORDS
            and low not in OPENING_ANAPHORS
            and (position or len(word) > 3)
        }
        self.numbers = {w for w in raw if w[0].isdigit()}
        self.years = [int(w) for w in self.numbers if _YEAR.fullmatch(w)]
        self.pronoun = bool(lower) and lower[0] in OPENING_ANAPHORS
        self.length = len(raw)
        joined = f" {' '.join(self.words)} "
        self.letters = [joined[i : i + 4] for i in range(max(len(joined) - 3, 0))]


def pair_features(
    sentences: Sequence[str], vectors: NDArray[np.floating], together: NDArray[np.floating]
) -> Floats:
    """An n x n x len(FEATURES) array, symmetric in its first two axes.

    ``together`` is what the model ``reader`` says, as log-odds.
    """
    read = [_SentenceTerms(sentence) for sentence in sentences]
    n = len(read)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    cosine = (unit @ unit.T).astype(np.float32)
    centred = unit - unit.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    words = _cosines((r.words for r in read), n)
    letters = _cosines((r.letters for r in read), n)
    names = _counts([r.names for r in read])
    years, have_years = _near_years([r.years for r in read])
    pronoun = np.array([r.pronoun for r in read], dtype=np.float32)
    named = np.array([bool(r.names) for r in read], dtype=np.float32)
    length = np.log1p(np.array([r.length for r in read], dtype=np.float32)) / 4
    layers = [
        cosine,
        centred @ centred.T,
        _doubly_centred(cosine) * 4,
        _ranks(cosine),
        words,
        _doubly_centred(words) * 4,
        letters,
        _doubly_centred(letters) * 4,
        np.tanh(_shared(names, _unweighted)),
        np.tanh(_shared(names, _idf_weight)),
        np.tanh(_shared(_counts([set(r.words) for r in read]), _only_in_two)),
        np.tanh(_shared(_counts([r.numbers for r in read]), _unweighted)),
        years,
        have_years,
        np.outer(pronoun, pronoun),
        np.maximum.outer(pronoun, pronoun) - np.outer(pronoun, pronoun),
        np.outer(named, named),
        np.add.outer(length, length),
        together / 4,
        _doubly_centred(together) / 4,
    ]
    return np.stack(layers, axis=-1).astype(np.float32)


def shared_terms(first: str, second: str) -> tuple[str, ...]:
    """The words, names and numbers two sentences have in common, longest first.

    >>> shared_terms("Rook left Brandle in 1911.", "In 1911 the mill at Brandle burned.")
    ('brandle', '1911')
    """
    first_terms, second_terms = _SentenceTerms(first), _SentenceTerms(second)
    shared = {*first_terms.words, *first_terms.numbers} & {
        *second_terms.words,
        *second_terms.numbers,
    }
    return tuple(sorted(shared, key=lambda term: (-len(term), term)))


def _counts(bags: Sequence[Iterable[str]]) -> Floats:
    """The sentences x terms count matrix; the last column counts terms of one sentence only.

    Dense: a salad is small, and at this size sparse matrices cost more than they save.
    """
    counted = [Counter(bag) for bag in bags]
    spread = Counter(term for counts in counted for term in counts)
    index = {term: i for i, term in enumerate(t for t, times in spread.items() if times > 1)}
    table = np.zeros((len(counted), len(index) + 1), dtype=np.float32)
    for row, counts in enumerate(counted):
        for term, times in counts.items():
            table[row, index.get(term, -1)] += times
    return table


def _cosines(bags: Iterable[Iterable[str]], n: int) -> Floats:
    """TF-IDF cosines within the salad."""
    counts = _counts(list(bags))
    shared, alone = counts[:, :-1], counts[:, -1]
    smooth = idf((shared > 0).sum(axis=0), n, prior_documents=1, prior_frequency=1) + 1
    weighted = np.log1p(shared) / np.log(2) * smooth
    single = (np.log((1 + n) / 2) + 1) ** 2 * alone
    lengths = np.sqrt((weighted**2).sum(axis=1) + single)
    rows = weighted / np.maximum(lengths, 1e-9)[:, None]
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, 1.0)
    return np.asarray(cosines, dtype=np.float32)


Weight = Callable[[NDArray[np.int64], int], NDArray[np.floating]]


def _unweighted(spread: NDArray[np.int64], n: int) -> NDArray[np.floating]:
    return np.ones(len(spread))


def _idf_weight(spread: NDArray[np.int64], n: int) -> NDArray[np.floating]:
    return np.asarray(idf(spread, n) / np.log(max(n, 2)))


def _only_in_two(spread: NDArray[np.int64], n: int) -> NDArray[np.floating]:
    return np.asarray(spread == 2, dtype=np.float64)


def _shared(counts: Floats, weight: Weight) -> Floats:
    """For each pair the summed weight of the terms in both."""
    present = counts[:, :-1] > 0
    terms = weight(present.sum(axis=0), len(counts))
    return np.asarray((present * terms) @ present.T, dtype=np.float32)


def _doubly_centred(matrix: NDArray[np.floating]) -> Floats:
    rows = matrix.mean(axis=1, keepdims=True)
    return np.asarray(matrix - rows - rows.T + matrix.mean(), dtype=np.float32)


def _ranks(matrix: Floats) -> Floats:
    """Symmetric rank of each similarity within its two rows, scaled to -1 to 1."""
    n = len(matrix)
    order = matrix.argsort(axis=1).argsort(axis=1) / max(n - 1, 1)
    return np.asarray(order + order.T - 1, dtype=np.float32)


def _near_years(years: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """exp(-gap / 3) between the nearest years of two sentences, and whether both have any."""
    have = np.array([bool(y) for y in years], dtype=np.float32)
    low = np.array([min(y) if y else 0 for y in years], dtype=np.float32)
    high = np.array([max(y) if y else 0 for y in years], dtype=np.float32)
    gap = np.maximum(np.maximum(low[:, None] - high[None, :], low[None, :] - high[:, None]), 0)
    both = np.outer(have, have)
    return np.asarray(np.exp(-gap / 3) * both, dtype=np.float32), both
