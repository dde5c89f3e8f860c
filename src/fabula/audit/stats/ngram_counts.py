"""Texts as sparse counts of words, pairs of words and runs of characters, made by array work alone.

A feature is known by a hash; those seen in fewer than ``least`` texts are dropped. Nothing is a
Python loop over characters, so half a million options take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text.segment.treebank import Words

__all__ = ["character_grams", "counted", "hash_runs", "mix", "word_grams"]

Hashes = NDArray[np.uint64]
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_BUCKETS = np.uint64((1 << 21) - 1)
_BLOCK = 4_000  # texts hashed at a time: the work in between takes ten times the space


def mix(hashes: Hashes) -> Hashes:
    """Scatter the bits: neighbours in, strangers out."""
    hashes = (hashes ^ (hashes >> _SHIFT)) * np.uint64(0xBF58476D1CE4E5B9)
    return (hashes ^ (hashes >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)


def hash_runs(
    symbols: Hashes, owners: NDArray[np.int64], n: int
) -> tuple[Hashes, NDArray[np.int64]]:
    """A hash for each run of ``n`` neighbouring symbols of one owner, and that owner."""
    length = len(symbols) - n + 1
    if length <= 0:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    runs = np.full(length, np.uint64(n), dtype=np.uint64)
    for step in range(n):
        runs = mix(runs * _ODD + symbols[step : step + length])
    whole = owners[:length] == owners[n - 1 :]
    return runs[whole], owners[:length][whole]


def word_grams(words: Words, longest: int = 2) -> tuple[Hashes, NDArray[np.int64]]:
    """Runs of one to ``longest`` words, each with the text it stands in."""
    symbols = mix(words.ids.astype(np.uint64) + np.uint64(1))
    owners = words.owners
    found = [hash_runs(symbols, owners, n) for n in range(1, longest + 1)]
    return np.concatenate([h for h, _ in found]), np.concatenate([o for _, o in found])


def character_grams(
    texts: Sequence[str], n: int = 4, longest: int = 2000
) -> tuple[Hashes, NDArray[np.int64]]:
    """Runs of ``n`` characters (case kept, a mark at either end), each with its text."""
    hashes, owners = [], []
    for start in range(0, len(texts), _BLOCK):
        marked = [f"\x02{text[:longest]}\x03" for text in texts[start : start + _BLOCK]]
        codes = np.frombuffer("".join(marked).encode("utf-32-le", "replace"), dtype="<u4")
        owner = np.repeat(np.arange(len(marked)), [len(text) for text in marked])
        found, of = hash_runs(codes.astype(np.uint64), owner, n)
        hashes.append(found & _BUCKETS)
        owners.append(of + start)
    if not hashes:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    return np.concatenate(hashes), np.concatenate(owners)


def counted(parts: Sequence[tuple[Hashes, NDArray[np.int64]]], rows: int, *, least: int = 5) -> Any:
    """A sparse matrix (texts x features) of counts, the features of each part beside the last's.

    Hashes fall into two million buckets; two features in one bucket are taken for one, which of
    100,000 features happens to 5 in 100.
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
