"""Sets of units as bit patterns: what the exact decoders go over."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["layers", "masks"]


@cache
def layers(n: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The sets of 1, 2 ... n units, each with its members in rising order."""
    sets = np.arange(1 << n)
    bits = (sets[:, None] >> np.arange(n)) & 1
    count = bits.sum(axis=1)
    layers = []
    for size in range(1, n + 1):
        here = sets[count == size]
        layers.append((here, np.nonzero(bits[here])[1].reshape(-1, size)))
    return layers


def masks(must: NDArray[np.bool_] | None, n: int) -> NDArray[np.int64]:
    """For each unit the set of those that have to stand before it."""
    if must is None:
        return np.zeros(n, dtype=np.int64)
    return np.asarray((must * (1 << np.arange(n))[:, None]).sum(axis=0), dtype=np.int64)
