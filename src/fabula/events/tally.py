"""Numbering chains and keeping their pairs until they are sorted and added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as chained
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.events.items import Chain
from fabula.events.merge import Run
from fabula.events.pairs import chain_pairs, pack, reduce_keys, widened

__all__ = ["STREAMS", "TABLES", "Numbered", "Numbers", "Tally", "reordered"]

TABLES = ("near", "whole", "posting")
STREAMS = ("flat", "lengths", "chain_documents")
_WORD = attrgetter("verb", "slot")


class Numbers(dict[Any, int]):
    """Names and their numbers; asking for a new name gives it the next number."""

    def __missing__(self, name: Any) -> int:
        number = self[name] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Numbered:
    """Chains as numbers that hold among themselves: what a worker can do without the others.

    ``words[flat]`` are the events of all chains, ``documents[places]`` the documents of each.
    """

    words: Sequence[tuple[str, str]]
    documents: Sequence[str]
    titles: Mapping[str, str]
    flat: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    places: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(cls, chains: Sequence[Chain]) -> Numbered:
        words, documents = Numbers(), Numbers()
        rows = [chain.events for chain in chains]
        lengths = np.fromiter(map(len, rows), np.uint32, len(rows))
        events = map(_WORD, chained.from_iterable(rows))
        flat = np.fromiter(map(words.__getitem__, events), np.uint32, int(lengths.sum()))
        names = map(attrgetter("document"), chains)
        places = np.fromiter(map(documents.__getitem__, names), np.uint32, len(rows))
        titles = {
            chain.document: title
            for chain in chains
            if chain.extra and isinstance(title := chain.extra.get("title"), str)
        }
        return cls(list(words), list(documents), titles, flat, lengths, places)

    def to_row(self) -> dict[str, Any]:
        """As plain values; ``from_row`` gives it back."""
        return {
            "words": [list(word) for word in self.words],
            "documents": list(self.documents),
            "titles": dict(self.titles),
            "flat": self.flat.tolist(),
            "lengths": self.lengths.tolist(),
            "places": self.places.tolist(),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Numbered:
        flat, lengths, places = (
            np.array(row[name], dtype=np.uint32) for name in ("flat", "lengths", "places")
        )
        words = [(verb, slot) for verb, slot in row["words"]]
        return cls(words, row["documents"], row["titles"], flat, lengths, places)


class Tally:
    """What is known of the chains so far: their numbers, and the pairs not yet set down."""

    def __init__(self, skip: int) -> None:
        self.skip = skip
        self.words: dict[tuple[str, str], int] = Numbers()
        self.documents: dict[str, int] = Numbers()
        self.titles: dict[str, str] = {}
        self.chains = 0
        self.keys: dict[str, list[NDArray[np.unsignedinteger]]] = {name: [] for name in TABLES}
        self.streams: dict[str, list[NDArray[np.uint32]]] = {name: [] for name in STREAMS}
        self.bytes = 0

    def add(self, numbered: Numbered) -> None:
        """Count chains; names that are new get the next numbers, in the order they came up in."""
        word = self.words.__getitem__
        words = np.fromiter(map(word, numbered.words), np.uint32, len(numbered.words))
        document = self.documents.__getitem__
        names = np.fromiter(map(document, numbered.documents), np.uint32, len(numbered.documents))
        flat, places = words[numbered.flat], names[numbered.places]
        lengths = numbered.lengths.astype(np.int64)
        self.titles |= numbered.titles
        narrow = len(self.words) <= 1 << 16
        for keys, far in chain_pairs(flat, lengths, narrow=narrow):
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
        self.chains += len(lengths)

    def _keep(self, table: str, keys: NDArray[np.unsignedinteger]) -> None:
        self.keys[table].append(keys)
        self.bytes += keys.nbytes

    def take(self) -> tuple[dict[str, Run], dict[str, NDArray[np.uint32]]]:
        """The pairs since the last time, sorted and added up, and the chains; then forget them."""
        runs = {}
        for name in TABLES:
            keys, self.keys[name] = self.keys[name], []
            if len({some.dtype for some in keys}) > 1:  # the vocabulary outgrew the narrow ones
                keys = [widened(some) for some in keys]
            runs[name] = reduce_keys(np.concatenate(keys) if keys else np.zeros(0, np.uint64))
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
