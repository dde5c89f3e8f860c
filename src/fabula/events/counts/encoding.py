"""Chains as integer ids: vocabularies of event types and documents, and batches of chains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain as chained
from itertools import count as counter
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.events.counts.event_counts import EventType
from fabula.events.items import Chain, Event
from fabula.events.recipes import prepare, recipe_named

__all__ = ["BATCH", "EncodedChains", "Vocabulary", "encode_chains", "encode_events", "look_up"]

BATCH = 1 << 16  # chains encoded at once
_EVENT_TYPE = attrgetter("verb", "slot")
_SAMPLE = 1000  # events that show whether event objects are shared

Ids = NDArray[np.uint32]


class Vocabulary(defaultdict[Any, int]):
    """Ids of names, from 0; looking up a new name adds it with the next id.

    >>> names = Vocabulary({"a": 0})
    >>> names["b"], names["a"], names["c"]
    (1, 0, 2)
    """

    def __init__(self, ids: Mapping[Any, int] | Iterable[tuple[Any, int]] = ()) -> None:
        super().__init__(None, ids)
        self.default_factory = counter(len(self)).__next__


def look_up(vocabulary: dict[Any, int], names: Iterable[Any], length: int) -> Ids:
    """The ids of ``length`` names; a Vocabulary adds the new ones in the order they come in."""
    return np.fromiter(map(vocabulary.__getitem__, names), np.uint32, length)


def encode_events(events: Sequence[Event], vocabulary: dict[EventType, int]) -> Ids:
    """The ids of the events' types; new types get the next ids in the order they come in.

    Most readers give one object for all events of a type. Then few objects stand for many events,
    and only those few are looked up.
    """
    sample = events[:_SAMPLE]
    if len(set(map(id, sample))) >= 0.9 * len(sample):
        return look_up(vocabulary, map(_EVENT_TYPE, events), len(events))
    addresses = np.fromiter(map(id, events), np.uintp, len(events))
    objects, which = np.unique(addresses, return_inverse=True)
    first = np.empty(len(objects), np.int64)
    first[which[::-1]] = np.arange(len(events))[::-1]  # written back to front: the first stays
    order = np.argsort(first)
    ids = np.empty(len(objects), np.uint32)
    firsts = (events[i] for i in first[order].tolist())
    ids[order] = look_up(vocabulary, map(_EVENT_TYPE, firsts), len(objects))
    return ids[which]


@dataclass(frozen=True, slots=True)
class EncodedChains:
    """A batch of chains with vocabularies of its own: what a worker does without the others.

    ``event_types[event_ids]`` are the events of all chains one after the other,
    ``documents[document_ids]`` the document of each chain.
    """

    event_types: Sequence[EventType]
    documents: Sequence[str]
    titles: Mapping[str, str]
    event_ids: Ids
    lengths: Ids
    document_ids: Ids

    def __len__(self) -> int:
        """The number of chains."""
        return len(self.lengths)

    @classmethod
    def of(cls, chains: Sequence[Chain]) -> EncodedChains:
        event_types, documents = Vocabulary(), Vocabulary()
        events = [chain.events for chain in chains]
        event_ids = encode_events(list(chained.from_iterable(events)), event_types)
        lengths = np.fromiter(map(len, events), np.uint32, len(chains))
        document_ids = look_up(documents, map(attrgetter("document"), chains), len(chains))
        titles = {
            chain.document: title
            for chain in chains
            if chain.extra and isinstance(title := chain.extra.get("title"), str)
        }
        return cls(list(event_types), list(documents), titles, event_ids, lengths, document_ids)

    def after(self, n: int) -> EncodedChains:
        """The batch without its first ``n`` chains."""
        start = int(self.lengths[:n].sum())
        return replace(
            self,
            event_ids=self.event_ids[start:],
            lengths=self.lengths[n:],
            document_ids=self.document_ids[n:],
        )

    def to_row(self) -> dict[str, Any]:
        """As JSON values; ``from_row`` is the inverse."""
        return {
            "words": [list(event_type) for event_type in self.event_types],
            "documents": list(self.documents),
            "titles": dict(self.titles),
            "flat": self.event_ids.tolist(),
            "lengths": self.lengths.tolist(),
            "places": self.document_ids.tolist(),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> EncodedChains:
        event_ids, lengths, document_ids = (
            np.array(row[name], dtype=np.uint32) for name in ("flat", "lengths", "places")
        )
        event_types = [(verb, slot) for verb, slot in row["words"]]
        return cls(event_types, row["documents"], row["titles"], event_ids, lengths, document_ids)


def encode_chains(
    chains: Iterable[Chain], recipe: str | None = None, after: int = 0
) -> Iterator[EncodedChains]:
    """Encode the chains of two events or more, batch by batch; the first ``after`` are left out.

    ``recipe`` prepares the chains as the cloze tests of that name are: see ``recipes.prepare``.
    """
    if recipe is not None:
        chosen = recipe_named(recipe)
        chains = (prepare(chain, chosen) for chain in chains)
    pending = islice((chain for chain in chains if len(chain.events) >= 2), after, None)
    while batch := list(islice(pending, BATCH)):
        yield EncodedChains.of(batch)
