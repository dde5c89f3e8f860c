"""Pairs of events as 64-bit keys: made chain by chain, counted by sorting, merged, looked up.

A pair (a, b), a before b in one chain, has the key ``a << 32 | b``, so that sorting keys sorts
pairs. Sorted runs of (key, count) are merged as in an external merge sort.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError

__all__ = [
    "PairTable",
    "Run",
    "count_keys",
    "merge_runs",
    "pack",
    "pair_keys",
    "unpack",
    "widen_keys",
]

Keys = NDArray[np.uint64]
Ids = NDArray[np.uint32]
Run = tuple[Keys, NDArray[np.uint32]]  # different keys in rising order, and their counts
_CELLS = 4_000_000  # pairs made at once, so that one endless chain does not fill the memory
_SHIFT = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_MAX_COUNT = np.iinfo(np.uint32).max


def pack(first: NDArray[np.integer], second: NDArray[np.integer]) -> Keys:
    """Two ids below 2^32 in one key."""
    return (first.astype(np.uint64) << _SHIFT) | second.astype(np.uint64)


def unpack(keys: Keys) -> tuple[Ids, Ids]:
    """Both ids of each key that ``pack`` made."""
    return (keys >> _SHIFT).astype(np.uint32), (keys & _LOW).astype(np.uint32)


def pair_keys(
    event_ids: Ids, lengths: NDArray[np.int64], *, narrow: bool = False
) -> Iterator[tuple[NDArray[np.unsignedinteger], int]]:
    """The keys of all pairs of each chain, with the distance between the two events.

    ``event_ids`` holds the chains one after the other. Chains of one length are the columns of one
    matrix, so two of its rows are a pair of positions in all of them. ``narrow`` keys have 16 bits
    for each id: half the memory, and they sort far faster.

    >>> pairs = pair_keys(np.array([7, 8, 9], np.uint32), np.array([3]))
    >>> [(*(int(ids[0]) for ids in unpack(keys[:1])), distance) for keys, distance in pairs]
    [(7, 8, 1), (7, 9, 2)]
    """
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    sizes, first = np.unique(lengths[order], return_index=True)
    ends = [*first[1:].tolist(), len(order)]
    for size, low, high in zip(sizes.tolist(), first.tolist(), ends, strict=True):
        step = max(1, _CELLS // max(size, 1))
        for at in range(low, high, step):
            chain_starts = starts[order[at : min(at + step, high)]]
            matrix = event_ids[chain_starts[None, :] + np.arange(size)[:, None]]  # (size, chains)
            left: NDArray[np.unsignedinteger]
            left = matrix << np.uint32(16) if narrow else matrix.astype(np.uint64) << _SHIFT
            for distance in range(1, size):
                yield (left[:-distance] | matrix[distance:]).ravel(), distance


def count_keys(keys: NDArray[np.unsignedinteger]) -> Run:
    """The different keys in rising order, narrow ones widened, and how often each occurs."""
    if not len(keys):
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    ordered = np.sort(keys)
    firsts = _first_of_equals(ordered)
    counts = np.diff(np.append(firsts, len(keys)))
    return widen_keys(ordered[firsts]), counts.astype(np.uint32)


def widen_keys(keys: NDArray[np.unsignedinteger]) -> Keys:
    """Narrow keys as wide ones; wide ones unchanged."""
    if keys.dtype == np.uint32:
        return pack(keys >> np.uint32(16), keys & np.uint32(0xFFFF))
    return keys.astype(np.uint64, copy=False)


def _first_of_equals(ordered: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Where each run of equal values begins."""
    different = np.empty(len(ordered), dtype=bool)
    different[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=different[1:])
    return np.flatnonzero(different)


def merge_runs(runs: Sequence[Run], block: int = 1 << 20) -> Iterator[Run]:
    """K-way merge of sorted runs in bounded memory, piece by piece; counts of equal keys add up.

    Of every run at most ``block`` entries are read ahead. All keys up to the smallest of the last
    keys read are final, because no run has a smaller one further on.
    """
    positions = [0] * len(runs)
    while True:
        unfinished = [i for i, (keys, _) in enumerate(runs) if positions[i] < len(keys)]
        if not unfinished:
            return
        if len(unfinished) == 1:
            (last,) = unfinished
            keys, counts = runs[last]
            start, positions[last] = positions[last], min(positions[last] + block, len(keys))
            yield keys[start : positions[last]], counts[start : positions[last]]
            continue
        border = min(runs[i][0][min(positions[i] + block, len(runs[i][0])) - 1] for i in unfinished)
        pieces: list[Run] = []
        for i in unfinished:
            keys, counts = runs[i]
            start, end = positions[i], positions[i] + block
            positions[i] = start + int(np.searchsorted(keys[start:end], border, side="right"))
            pieces.append((keys[start : positions[i]], counts[start : positions[i]]))
        yield _add_up(pieces)


def _add_up(pieces: Sequence[Run]) -> Run:
    keys = np.concatenate([keys for keys, _ in pieces])
    counts = np.concatenate([counts for _, counts in pieces]).astype(np.uint64)
    order = np.argsort(keys, kind="stable")  # runs are sorted: merging is what it is good at
    keys, counts = keys[order], counts[order]
    firsts = _first_of_equals(keys)
    sums = np.add.reduceat(counts, firsts)
    if sums.max() > _MAX_COUNT:
        raise UsageError(f"a pair was counted more than {_MAX_COUNT:,} times; count in parts")
    return keys[firsts], sums.astype(np.uint32)


@dataclass(frozen=True)
class PairTable:
    """Counts of pairs, a sparse matrix: sorted keys, their counts, and the number of rows."""

    keys: Keys
    counts: NDArray[np.uint32]
    rows: int

    def __len__(self) -> int:
        return len(self.keys)

    def get(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.uint32]:
        """The counts of many pairs, by binary search; 0 for one never seen (or an id of -1).

        >>> table = PairTable(np.array([1 << 32 | 2], np.uint64), np.array([5], np.uint32), 3)
        >>> table.get(np.array([1, 2, -1]), np.array([2, 1, 2])).tolist()
        [5, 0, 0]
        """
        if not len(self.keys):
            return np.zeros(len(first), np.uint32)
        wanted = pack(first, second)
        nearest = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        hit = (self.keys[nearest] == wanted) & (first >= 0) & (second >= 0)
        return np.where(hit, self.counts[nearest], 0).astype(np.uint32)

    @cached_property
    def row_starts(self) -> NDArray[np.int64]:
        """Where each row begins, and after the last where it ends."""
        edges = np.arange(self.rows + 1, dtype=np.uint64) << _SHIFT
        return np.searchsorted(self.keys, edges).astype(np.int64)

    @cached_property
    def columns(self) -> Ids:
        return unpack(self.keys)[1]

    def row(self, first: int) -> tuple[Ids, NDArray[np.uint32]]:
        """The second ids of all pairs with this first id, and their counts."""
        low, high = self.row_starts[first], self.row_starts[first + 1]
        return self.columns[low:high], self.counts[low:high]

    @cached_property
    def transposed(self) -> PairTable:
        """C'(b, a) = C(a, b)."""
        first, second = unpack(self.keys)
        # Stable by the second id: the firsts stay sorted within it, so the keys come out sorted.
        order = np.argsort(second, kind="stable")
        return PairTable(pack(second[order], first[order]), self.counts[order], self.rows)

    @cached_property
    def symmetric(self) -> PairTable:
        """C'(a, b) = C'(b, a) = C(a, b) + C(b, a)."""
        mirror = self.transposed
        pieces = list(merge_runs([(self.keys, self.counts), (mirror.keys, mirror.counts)]))
        if not pieces:
            return self
        keys = np.concatenate([keys for keys, _ in pieces])
        return PairTable(keys, np.concatenate([counts for _, counts in pieces]), self.rows)

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum(dtype=np.int64))
