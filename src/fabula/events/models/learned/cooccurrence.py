"""What stands beside what: counts of pairs, smoothed by frequency when asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Company"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Company:
    """Counts of what stands beside what; ``shares`` are the frequencies of the second."""

    def __init__(self, matrix: Any, shares: Floats) -> None:
        self.matrix, self.shares = matrix, shares
        self.sums = np.asarray(matrix.sum(1)).ravel()

    def _rows(self, known: Ints) -> Iterator[tuple[int, Ints, Floats]]:
        """Each known thing, what was seen beside it, and how often."""
        for one in known.tolist():
            low, high = self.matrix.indptr[one], self.matrix.indptr[one + 1]
            yield one, self.matrix.indices[low:high], self.matrix.data[low:high]

    def beside(self, known: Ints, mass: float) -> tuple[Floats, Floats]:
        """log of the product and of the mean of P(e|c) / P(e) over the known, up to a constant."""
        shares = self.shares
        product, mixture = np.zeros(len(shares)), np.zeros(len(shares))
        rest = 0.0
        for one, places, seen in self._rows(known):
            product[places] += np.log1p(seen / (mass * shares[places]))
            mixture[places] += seen / (self.sums[one] + mass)
            rest += mass / (self.sums[one] + mass)
        return product, np.log((mixture / shares + max(rest, 1e-9)) / max(len(known), 1))

    def products(self, known: Ints, groups: Ints, number: int, mass: float) -> Floats:
        """The product taken apart: (groups, e), the known of one group in one row."""
        found = np.zeros((number, len(self.shares)))
        for one, places, seen in self._rows(known):
            found[groups[one], places] += np.log1p(seen / (mass * self.shares[places]))
        return found

    def closest(self, known: Ints, mass: float) -> tuple[Floats, Floats]:
        """log P(e|c) / P(e) of the known that speaks most for e, and how many ever met it."""
        best, met = np.zeros(len(self.shares)), np.zeros(len(self.shares))
        for one, places, seen in self._rows(known):
            share = self.shares[places]
            lift = np.log((seen + mass * share) / (self.sums[one] + mass) / share)
            best[places] = np.maximum(best[places], lift)
            met[places] += 1
        return best, met
