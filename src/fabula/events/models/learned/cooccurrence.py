"""Smoothed co-occurrence counts: how well each event goes with a set of known events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cooccurrence"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Cooccurrence:
    """A sparse matrix of co-occurrence counts C(c, e); ``shares`` are the unigram P(e)."""

    def __init__(self, matrix: Any, shares: Floats) -> None:
        self.matrix, self.shares = matrix, shares
        self.sums = np.asarray(matrix.sum(1)).ravel()

    def _rows(self, known: Ints) -> Iterator[tuple[int, Ints, Floats]]:
        """Each known event c, the events e seen with it, and C(c, e)."""
        for event in known.tolist():
            low, high = self.matrix.indptr[event], self.matrix.indptr[event + 1]
            yield event, self.matrix.indices[low:high], self.matrix.data[low:high]

    def lift(self, known: Ints, mass: float) -> tuple[Floats, Floats]:
        """log of the product and of the mean of P(e|c) / P(e) over the known c, up to a constant.

        P(e|c) is smoothed by ``mass`` pseudo-counts spread by P(e).
        """
        shares = self.shares
        product, mixture = np.zeros(len(shares)), np.zeros(len(shares))
        rest = 0.0
        for event, others, seen in self._rows(known):
            product[others] += np.log1p(seen / (mass * shares[others]))
            mixture[others] += seen / (self.sums[event] + mass)
            rest += mass / (self.sums[event] + mass)
        return product, np.log((mixture / shares + max(rest, 1e-9)) / max(len(known), 1))

    def products(self, known: Ints, groups: Ints, number: int, mass: float) -> Floats:
        """(groups, e): the log product over the known events of each group."""
        found = np.zeros((number, len(self.shares)))
        for event, others, seen in self._rows(known):
            found[groups[event], others] += np.log1p(seen / (mass * self.shares[others]))
        return found

    def largest_lift(self, known: Ints, mass: float) -> tuple[Floats, Floats]:
        """The largest log P(e|c) / P(e) over the known c, and how many of them occur with e."""
        best, met = np.zeros(len(self.shares)), np.zeros(len(self.shares))
        for event, others, seen in self._rows(known):
            share = self.shares[others]
            lift = np.log((seen + mass * share) / (self.sums[event] + mass) / share)
            best[others] = np.maximum(best[others], lift)
            met[others] += 1
        return best, met
