"""Texts as sparse counts of words, pairs of words and runs of characters, made by array work alone.

A feature is known by a hash; columns seen in fewer than ``least`` texts are dropped, the rest are
numbered. Nothing is a Python loop over characters, so half a million options take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.words import Words

__all__ = ["character_grams", "counted", "hash_runs", "word_grams"]

Hashes = NDArray[np.uint64]
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


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
    marked = [f"\x02{text[:longest]}\x03" for text in texts]
    codes = np.frombuffer("".join(marked).encode("utf-32-le", "replace"), dtype="<u4")
    owners = np.repeat(np.arange(len(marked)), [len(text) for text in marked])
    return hash_runs(codes.astype(np.uint64), owners, n)


def counted(parts: Sequence[tuple[Hashes, NDArray[np.int64]]], rows: int, *, least: int = 5) -> Any:
    """A sparse matrix (texts x features) of counts, the features of each part beside the last's."""
    from scipy import sparse

    blocks = []
    for hashes, owners in parts:
        names, columns = np.unique(hashes, return_inverse=True)
        ones = np.ones(len(columns), dtype=np.float32)
        matrix = sparse.csr_matrix((ones, (owners, columns)), shape=(rows, len(names)))
        matrix.sum_duplicates()
        texts_with = np.bincount(matrix.indices, minlength=len(names))
        blocks.append(matrix[:, np.flatnonzero(texts_with >= least)])
    return sparse.hstack(blocks, format="csr", dtype=np.float32)
