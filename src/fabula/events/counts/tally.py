"""Numbering chains and keeping their pairs until they are sorted and added up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as chained
from itertools import count as counter
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.events.counts.merge import Run
from fabula.events.counts.pairs import chain_pairs, pack, reduce_keys, widened
from fabula.events.items import Chain, Event

__all__ = [
    "STREAMS",
    "TABLES",
    "Numbered",
    "Numbers",
    "Tally",
    "number_events",
    "reordered",
]

TABLES = ("near", "whole", "posting")
STREAMS = ("flat", "lengths", "chain_documents")
_WORD = attrgetter("verb", "slot")
_SAMPLE = 1000  # events that tell whether objects are shared

Ids = NDArray[np.uint32]
Word = tuple[str, str]


class Numbers(defaultdict[Any, int]):
    """Names and their numbers; asking for a new name, and nothing else, gives it the next number.

    >>> names = Numbers({"a": 0})
    >>> names["b"], names["a"], names["c"]
    (1, 0, 2)
    """

    def __init__(self, known: Mapping[Any, int] | Iterable[tuple[Any, int]] = ()) -> None:
        super().__init__(None, known)
        self.default_factory = counter(len(self)).__next__


def _number(
    chains: Sequence[Chain], words: dict[Word, int], documents: dict[str, int]
) -> tuple[Ids, Ids, Ids]:
    """The events of all chains as numbers, the chains' lengths, and their documents' numbers."""
    rows = [chain.events for chain in chains]
    lengths = np.fromiter(map(len, rows), np.uint32, len(rows))
    flat = number_events(list(chained.from_iterable(rows)), words)
    return flat, lengths, _looked_up(documents, map(attrgetter("document"), chains), len(rows))


def number_events(events: Sequence[Event], words: dict[Word, int]) -> Ids:
    """The numbers of the events' types; new ones get the next, in the order they come up in.

    Most readers give one object for all events of a type; then few objects stand for many events,
    and only those few are looked up.
    """
    if not _shared(events[:_SAMPLE]):
        return _looked_up(words, map(_WORD, events), len(events))
    here = np.fromiter(map(id, events), np.uintp, len(events))
    objects, which = np.unique(here, return_inverse=True)
    first = np.empty(len(objects), np.int64)
    first[which[::-1]] = np.arange(len(events))[::-1]  # of many places of one, the last stays
    order = np.argsort(first)
    numbers = np.empty(len(objects), np.uint32)
    some = (events[place] for place in first[order].tolist())
    numbers[order] = _looked_up(words, map(_WORD, some), len(objects))
    return numbers[which]


def _shared(events: Sequence[Event]) -> bool:
    return len(set(map(id, events))) < 0.9 * len(events)


def _looked_up(numbers: dict[Any, int], names: Iterable[Any], length: int) -> Ids:
    return np.fromiter(map(numbers.__getitem__, names), np.uint32, length)


def _titles_of(chains: Iterable[Chain]) -> dict[str, str]:
    """The titles of documents that have one."""
    return {
        chain.document: title
        for chain in chains
        if chain.extra and isinstance(title := chain.extra.get("title"), str)
    }


@dataclass(frozen=True, slots=True)
class Numbered:
    """Chains as numbers that hold among themselves: what a worker can do without the others.

    ``words[flat]`` are the events of all chains, ``documents[places]`` the documents of each.
    """

    words: Sequence[Word]
    documents: Sequence[str]
    titles: Mapping[str, str]
    flat: Ids
    lengths: Ids
    places: Ids

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(cls, chains: Sequence[Chain]) -> Numbered:
        words, documents = Numbers(), Numbers()
        flat, lengths, places = _number(chains, words, documents)
        return cls(list(words), list(documents), _titles_of(chains), flat, lengths, places)

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
        self.words: dict[Word, int] = Numbers()
        self.documents: dict[str, int] = Numbers()
        self.titles: dict[str, str] = {}
        self.chains = 0
        self.keys: dict[str, list[NDArray[np.unsignedinteger]]] = {name: [] for name in TABLES}
        self.streams: dict[str, list[NDArray[np.uint32]]] = {name: [] for name in STREAMS}
        self.bytes = 0

    def add(self, numbered: Numbered) -> None:
        """Count chains; names that are new get the next numbers, in the order they came up in."""
        words = _looked_up(self.words, numbered.words, len(numbered.words))
        names = _looked_up(self.documents, numbered.documents, len(numbered.documents))
        self.titles |= numbered.titles
        self._pair(words[numbered.flat], numbered.lengths, names[numbered.places])

    def read(self, chains: Sequence[Chain]) -> None:
        """``add`` without numbers in between."""
        flat, lengths, places = _number(chains, self.words, self.documents)
        self.titles |= _titles_of(chains)
        self._pair(flat, lengths, places)

    def _pair(self, flat: Ids, sizes: Ids, places: Ids) -> None:
        lengths = sizes.astype(np.int64)
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
