"""All pairs of events of many chains at once, as packed keys.

A pair (a, b), a before b in one chain, is the 64-bit key ``a << 32 | b``. Chains of one length
are rows of one matrix, so a pair of columns is a pair of places in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["chain_pairs", "pack", "reduce_keys", "unpack", "widened"]

Keys = NDArray[np.uint64]
Ids = NDArray[np.uint32]
_CELLS = 4_000_000  # pairs made at once, so that one endless chain does not fill the memory
_SHIFT = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def pack(first: NDArray[np.integer], second: NDArray[np.integer]) -> Keys:
    """Two numbers below 2^32 in one, so that pairs sort as numbers."""
    return (first.astype(np.uint64) << _SHIFT) | second.astype(np.uint64)


def unpack(keys: Keys) -> tuple[Ids, Ids]:
    """Both numbers of each pair that ``pack`` packed."""
    return (keys >> _SHIFT).astype(np.uint32), (keys & _LOW).astype(np.uint32)


def chain_pairs(
    flat: Ids, lengths: NDArray[np.int64], reach: int | None = None, *, narrow: bool = False
) -> Iterator[tuple[NDArray[np.unsignedinteger], int]]:
    """Keys of the pairs of each chain, with how far apart the two places are.

    ``flat`` holds the chains one after the other. With ``reach`` only places at most so far apart.
    ``narrow`` keys have 16 bits for each half: half the memory, and they sort far faster.

    >>> found = chain_pairs(np.array([7, 8, 9], np.uint32), np.array([3]), reach=1)
    >>> [(int(key >> np.uint64(32)), int(key & np.uint64(255)), far) for keys, far in found
    ...  for key in keys]
    [(7, 8, 1), (8, 9, 1)]
    """
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    sizes, first = np.unique(lengths[order], return_index=True)
    ends = [*first[1:].tolist(), len(order)]
    for size, low, high in zip(sizes.tolist(), first.tolist(), ends, strict=True):
        most = min(size - 1, reach or size)
        step = max(1, _CELLS // max(size, 1))
        for at in range(low, high, step):
            rows = starts[order[at : min(at + step, high)]]
            places = rows[None, :] + np.arange(size)[:, None]
            matrix = flat[places]  # (size, chains): places of one rank lie together
            left: NDArray[np.unsignedinteger]
            left = matrix << np.uint32(16) if narrow else matrix.astype(np.uint64) << _SHIFT
            for far in range(1, most + 1):
                yield (left[:-far] | matrix[far:]).ravel(), far


def reduce_keys(keys: NDArray[np.unsignedinteger]) -> tuple[Keys, NDArray[np.uint32]]:
    """Sorted different keys, wide ones even of narrow, and how often each stood there."""
    if not len(keys):
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    ordered = np.sort(keys)
    edges = _edges(ordered)
    counts = np.diff(np.append(edges, len(keys)))
    return widened(ordered[edges]), counts.astype(np.uint32)


def widened(keys: NDArray[np.unsignedinteger]) -> Keys:
    """Narrow keys as wide ones; wide ones as they are."""
    if keys.dtype == np.uint32:
        return pack(keys >> np.uint32(16), keys & np.uint32(0xFFFF))
    return keys.astype(np.uint64, copy=False)


def _edges(ordered: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    different = np.empty(len(ordered), dtype=bool)
    different[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=different[1:])
    return np.flatnonzero(different)
