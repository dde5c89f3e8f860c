"""Subsets of units as bit masks, for dynamic programming over subsets (Held and Karp 1962)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError

__all__ = ["check_size", "predecessor_masks", "subsets_by_size"]


def check_size(algorithm: str, n: int, most: int) -> None:
    """Raise ``UsageError`` where there are too many units for a table of their subsets."""
    if n > most:
        raise UsageError(f"{algorithm} takes up to {most} units; there are {n}")


@cache
def subsets_by_size(n: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For the sizes 1 to n: all subsets of that size, and their members in rising order."""
    subsets = np.arange(1 << n)
    bits = (subsets[:, None] >> np.arange(n)) & 1
    sizes = bits.sum(axis=1)
    layers = []
    for size in range(1, n + 1):
        layer = subsets[sizes == size]
        layers.append((layer, np.nonzero(bits[layer])[1].reshape(-1, size)))
    return layers


def predecessor_masks(must: NDArray[np.bool_] | None, n: int) -> NDArray[np.int64]:
    """For each unit the subset of its required predecessors (``must[i, j]``: i before j)."""
    if must is None:
        return np.zeros(n, dtype=np.int64)
    return np.asarray((must * (1 << np.arange(n))[:, None]).sum(axis=0), dtype=np.int64)
