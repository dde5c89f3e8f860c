"""Numbering chains and keeping their pairs until they are sorted and added up."""

from __future__ import annotations

from itertools import chain as chained
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.events.items import Chain
from fabula.events.merge import Run
from fabula.events.pairs import chain_pairs, pack, reduce_keys

__all__ = ["STREAMS", "TABLES", "Tally", "reordered"]

TABLES = ("near", "whole", "posting")
STREAMS = ("flat", "lengths", "chain_documents")
_WORD = attrgetter("verb", "slot")


class Tally:
    """What is known of the chains so far: their numbers, and the pairs not yet set down."""

    def __init__(self, skip: int) -> None:
        self.skip = skip
        self.words: dict[tuple[str, str], int] = {}
        self.documents: dict[str, int] = {}
        self.titles: dict[str, str] = {}
        self.chains = 0
        self.keys: dict[str, list[NDArray[np.uint64]]] = {name: [] for name in TABLES}
        self.streams: dict[str, list[NDArray[np.uint32]]] = {name: [] for name in STREAMS}
        self.bytes = 0

    def add(self, chains: list[Chain]) -> None:
        flat = self._number([chain.events for chain in chains])
        lengths = np.fromiter(map(len, map(attrgetter("events"), chains)), np.int64, len(chains))
        places = np.array([self._document(chain) for chain in chains], dtype=np.uint32)
        for keys, far in chain_pairs(flat, lengths):
            self._keep("whole", keys)
            if far <= self.skip + 1:
                self._keep("near", keys)
        self._keep("posting", pack(flat, np.repeat(places, lengths)))
        streams: dict[str, NDArray[Any]] = {
            "flat": flat,
            "lengths": lengths,
            "chain_documents": places,
        }
        for name, values in streams.items():
            self.streams[name].append(values.astype(np.uint32))
        self.chains += len(chains)

    def _number(self, rows: list[tuple[Any, ...]]) -> NDArray[np.uint32]:
        """The events of all rows as ids; a new event type gets the next one."""
        words = list(map(_WORD, chained.from_iterable(rows)))
        known = self.words
        for word in dict.fromkeys(words):
            if word not in known:
                known[word] = len(known)
        return np.fromiter(map(known.__getitem__, words), np.uint32, len(words))

    def _document(self, chain: Chain) -> int:
        found = self.documents.get(chain.document)
        if found is None:
            found = self.documents[chain.document] = len(self.documents)
            if isinstance(title := chain.extra.get("title"), str):
                self.titles[chain.document] = title
        return found

    def _keep(self, table: str, keys: NDArray[np.uint64]) -> None:
        self.keys[table].append(keys)
        self.bytes += keys.nbytes

    def take(self) -> tuple[dict[str, Run], dict[str, NDArray[np.uint32]]]:
        """The pairs since the last time, sorted and added up, and the chains; then forget them."""
        runs = {}
        for name in TABLES:
            keys, self.keys[name] = self.keys[name], []
            whole = np.concatenate(keys) if keys else np.zeros(0, np.uint64)
            del keys
            largest = max(len(self.words), len(self.documents) if name == "posting" else 0)
            runs[name] = reduce_keys(whole, largest)
        streams = {
            name: np.concatenate(pieces) if pieces else np.zeros(0, np.uint32)
            for name, pieces in self.streams.items()
        }
        self.streams = {name: [] for name in STREAMS}
        self.bytes = 0
        return runs, streams


def reordered(
    flat: NDArray[np.uint32], lengths: NDArray[np.uint32], order: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The chains in another order: documents may come in pieces, and must lie together."""
    if np.array_equal(order, np.arange(len(order))):
        return flat, lengths
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    moved = lengths[order].astype(np.int64)
    shift = np.repeat(starts[order] - (np.cumsum(moved) - moved), moved)
    return flat[np.arange(len(flat)) + shift], lengths[order]
