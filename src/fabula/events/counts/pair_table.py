"""A table of counted pairs: sorted keys, their counts, and quick ways to ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fabula.events.counts.merge import merge_runs
from fabula.events.counts.pairs import Ids, Keys, pack, unpack

__all__ = ["PairTable"]


@dataclass(frozen=True)
class PairTable:
    """Counts of (first, second): ``rows`` is the number of things that can be first."""

    keys: Keys
    counts: NDArray[np.uint32]
    rows: int

    def __len__(self) -> int:
        return len(self.keys)

    def get(self, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.uint32]:
        """The counts of many pairs, 0 for one never seen (or an id of -1).

        >>> table = PairTable(np.array([1 << 32 | 2], np.uint64), np.array([5], np.uint32), 3)
        >>> table.get(np.array([1, 2, -1]), np.array([2, 1, 2])).tolist()
        [5, 0, 0]
        """
        if not len(self.keys):
            return np.zeros(len(first), np.uint32)
        asked = pack(first, second)
        places = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        hit = (self.keys[places] == asked) & (first >= 0) & (second >= 0)
        return np.where(hit, self.counts[places], 0).astype(np.uint32)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each row begins, and after the last where it ends."""
        edges = np.arange(self.rows + 1, dtype=np.uint64) << np.uint64(32)
        return np.searchsorted(self.keys, edges).astype(np.int64)

    @cached_property
    def seconds(self) -> Ids:
        return unpack(self.keys)[1]

    def row(self, first: int) -> tuple[Ids, NDArray[np.uint32]]:
        """All second things of one first, and their counts."""
        low, high = self.starts[first], self.starts[first + 1]
        return self.seconds[low:high], self.counts[low:high]

    @cached_property
    def turned(self) -> PairTable:
        """The table by the second thing: its row ``b`` holds every first of ``b``."""
        first, second = unpack(self.keys)
        # Stable by the second: the firsts stay sorted within it, so the keys come out sorted.
        order = np.argsort(second, kind="stable")
        return PairTable(pack(second[order], first[order]), self.counts[order], self.rows)

    @cached_property
    def both(self) -> PairTable:
        """C(a, b) + C(b, a) under either order: asking (a, b) and (b, a) gives the same."""
        mirror = self.turned
        pieces = list(merge_runs([(self.keys, self.counts), (mirror.keys, mirror.counts)]))
        if not pieces:
            return self
        keys = np.concatenate([piece[0] for piece in pieces])
        return PairTable(keys, np.concatenate([piece[1] for piece in pieces]), self.rows)

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum(dtype=np.int64))
