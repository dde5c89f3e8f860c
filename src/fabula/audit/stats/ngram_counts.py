"""Sparse counts of word and character n-grams, by feature hashing (Weinberger et al. 2009).

N-grams of fewer than ``least`` texts are dropped. Everything is array arithmetic, so half a million
options take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text.segment.treebank import Words

__all__ = ["character_ngrams", "count_matrix", "hash_ngrams", "mix64", "word_ngrams"]

Hashes = NDArray[np.uint64]
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_BUCKETS = np.uint64((1 << 21) - 1)
_BLOCK = 4_000  # texts hashed at a time: intermediate arrays are ten times as large


def mix64(hashes: Hashes) -> Hashes:
    """Scramble the bits of 64-bit integers, with the multipliers of SplitMix64."""
    hashes = (hashes ^ (hashes >> _SHIFT)) * np.uint64(0xBF58476D1CE4E5B9)
    return (hashes ^ (hashes >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)


def hash_ngrams(
    symbols: Hashes, owners: NDArray[np.int64], n: int
) -> tuple[Hashes, NDArray[np.int64]]:
    """The hash of each n-gram of symbols inside one owner (a text), and that owner."""
    length = len(symbols) - n + 1
    if length <= 0:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    hashes = np.full(length, np.uint64(n), dtype=np.uint64)
    for step in range(n):
        hashes = mix64(hashes * _ODD + symbols[step : step + length])
    whole = owners[:length] == owners[n - 1 :]
    return hashes[whole], owners[:length][whole]


def word_ngrams(words: Words, longest: int = 2) -> tuple[Hashes, NDArray[np.int64]]:
    """The hashes of word n-grams of one to ``longest`` words, and the text each is in."""
    symbols = mix64(words.ids.astype(np.uint64) + np.uint64(1))
    owners = words.owners
    by_length = [hash_ngrams(symbols, owners, n) for n in range(1, longest + 1)]
    return np.concatenate([h for h, _ in by_length]), np.concatenate([o for _, o in by_length])


def character_ngrams(
    texts: Sequence[str], n: int = 4, longest: int = 2000
) -> tuple[Hashes, NDArray[np.int64]]:
    """The hashes of character n-grams (case kept, a mark at either end), and the text of each."""
    hashes, owners = [], []
    for start in range(0, len(texts), _BLOCK):
        marked = [f"\x02{text[:longest]}\x03" for text in texts[start : start + _BLOCK]]
        codes = np.frombuffer("".join(marked).encode("utf-32-le", "replace"), dtype="<u4")
        owner = np.repeat(np.arange(len(marked)), [len(text) for text in marked])
        block_hashes, block_owners = hash_ngrams(codes.astype(np.uint64), owner, n)
        hashes.append(block_hashes & _BUCKETS)
        owners.append(block_owners + start)
    if not hashes:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    return np.concatenate(hashes), np.concatenate(owners)


def count_matrix(
    parts: Sequence[tuple[Hashes, NDArray[np.int64]]], rows: int, *, least: int = 5
) -> Any:
    """A sparse matrix (texts, n-grams) of counts; the columns of the parts are concatenated.

    N-grams are hashed into two million buckets; of 100,000 n-grams, 5 % share a bucket.
    """
    from scipy import sparse

    blocks = []
    for hashes, owners in parts:
        columns = (hashes & _BUCKETS).astype(np.int32)
        ones = np.ones(len(columns), dtype=np.float32)
        shape = (rows, int(_BUCKETS) + 1)
        matrix = sparse.csr_matrix((ones, (owners.astype(np.int32), columns)), shape=shape)
        matrix.sum_duplicates()
        texts_with = np.bincount(matrix.indices, minlength=shape[1])
        blocks.append(matrix[:, np.flatnonzero(texts_with >= least)])
    return sparse.hstack(blocks, format="csr", dtype=np.float32)
