"""Exact nearest pairs of unit vectors by blocked brute force, in memory of a few blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["Nearest", "first_of_near"]

Rows = NDArray[np.float32]
BLOCK = 2048


def first_of_near(rows: Rows, limit: float = 0.98) -> NDArray[np.int64]:
    """Indices of rows such that no two have a cosine above ``limit``, greedily from the first."""
    kept = np.zeros(0, dtype=np.int64)
    for start in range(0, len(rows), BLOCK):
        some = np.arange(start, min(start + BLOCK, len(rows)))
        for other in range(0, len(kept), BLOCK):
            before = rows[kept[other : other + BLOCK]]
            some = some[(rows[some] @ before.T).max(axis=1, initial=-1.0) <= limit]
        near = np.triu(rows[some] @ rows[some].T > limit, 1)
        stays = np.ones(len(some), dtype=bool)
        for i in np.flatnonzero(near.any(axis=1)):
            if stays[i]:  # a removed row removes no other
                stays &= ~near[i]
        kept = np.concatenate([kept, some[stays]])
    return kept


class Nearest:
    """The ``n`` pairs of highest cosine within any of the pools added."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._values = np.zeros(0, dtype=np.float32)
        self._pairs = np.zeros((0, 2), dtype=np.int64)

    def add(self, rows: Rows, names: NDArray[np.int64]) -> None:
        """Compare all pairs of these rows; ``names`` are the numbers that ``pairs`` returns."""
        for start, other, products in _products(rows):
            least = self._values.min() if len(self._values) == self.n else -2.0
            i, j = np.nonzero(products > least)
            self._keep(products[i, j], np.stack([names[start + i], names[other + j]], axis=1))

    def _keep(self, values: Rows, pairs: NDArray[np.int64]) -> None:
        values, pairs = self._best(values, pairs)
        values = np.concatenate([self._values, values])
        pairs = np.concatenate([self._pairs, pairs])
        _, first = np.unique(pairs, axis=0, return_index=True)  # pools may share a pair
        self._values, self._pairs = self._best(values[first], pairs[first])

    def _best(self, values: Rows, pairs: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        if len(values) <= self.n:
            return values, pairs
        best = np.argpartition(-values, self.n - 1)[: self.n]
        return values[best], pairs[best]

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs, the nearest first."""
        order = np.lexsort((self._pairs[:, 1], self._pairs[:, 0], -self._values))
        return [(int(first), int(second)) for first, second in self._pairs[order]]


def _products(rows: Rows) -> Iterator[tuple[int, int, Rows]]:
    """The products of all pairs of different rows, block by block; masked ones are -3."""
    for start in range(0, len(rows), BLOCK):
        for other in range(start, len(rows), BLOCK):
            products = rows[start : start + BLOCK] @ rows[other : other + BLOCK].T
            if start == other:
                products[np.tril_indices(len(products))] = -3.0
            yield start, other, products
