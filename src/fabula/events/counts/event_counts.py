"""Counts of a corpus of event chains: unigrams, skip bigrams, pairs of a chain, inverted index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.events.counts.pairs import PairTable
from fabula.events.items import Chain, Event

__all__ = ["Counts", "EventType"]

Ids = NDArray[np.uint32]
EventType = tuple[str, str]  # verb, slot


@dataclass(frozen=True)
class Counts:
    """All counts the models use.

    An event type is a verb with an argument slot; its position in ``event_types`` is its id.
    ``skip_bigrams`` counts ordered pairs with at most ``skip`` events between them (the k-skip
    bigrams of Jans et al. 2012), ``chain_pairs`` all ordered pairs of a chain, ``postings``
    (event, document): an inverted index. ``event_ids`` holds the chains one after the other,
    document by document.
    """

    event_types: list[EventType]
    skip_bigrams: PairTable
    chain_pairs: PairTable
    postings: PairTable
    event_ids: Ids
    chain_lengths: Ids
    chain_documents: Ids
    documents: list[str]
    titles: Mapping[str, str] = field(default_factory=dict)
    skip: int = 2
    recipe: str | None = None
    folder: Path | None = None

    @property
    def types(self) -> int:
        """The number of event types."""
        return len(self.event_types)

    @property
    def tokens(self) -> int:
        """The number of events."""
        return len(self.event_ids)

    def __len__(self) -> int:
        """The number of chains."""
        return len(self.chain_lengths)

    @cached_property
    def ids(self) -> dict[EventType, int]:
        return {event_type: i for i, event_type in enumerate(self.event_types)}

    @cached_property
    def events(self) -> list[Event]:
        return [Event(verb, slot) for verb, slot in self.event_types]

    @cached_property
    def unigrams(self) -> NDArray[np.int64]:
        """C(e) of each event type."""
        return np.bincount(self.event_ids, minlength=self.types).astype(np.int64)

    @cached_property
    def bits(self) -> NDArray[np.float64]:
        """The information content of each event type, -log2 P(e)."""
        return -np.log2(np.maximum(self.unigrams, 1) / max(self.tokens, 1))

    @cached_property
    def frequency_ranks(self) -> NDArray[np.int64]:
        """1 for the most frequent event type, and so on."""
        ranks = np.empty(self.types, np.int64)
        ranks[np.argsort(-self.unigrams, kind="stable")] = np.arange(1, self.types + 1)
        return ranks

    @cached_property
    def chain_starts(self) -> NDArray[np.int64]:
        """Where each chain begins in ``event_ids``, and the end."""
        return np.append(0, np.cumsum(self.chain_lengths, dtype=np.int64))

    @cached_property
    def document_starts(self) -> NDArray[np.int64]:
        """The first chain of each document, and the end: chains stand document by document."""
        return np.searchsorted(self.chain_documents, np.arange(len(self.documents) + 1))

    def encode(self, events: Iterable[Event]) -> NDArray[np.int64]:
        """The ids of events; -1 for a type never seen."""
        ids = self.ids
        return np.array([ids.get((e.verb, e.slot), -1) for e in events], dtype=np.int64)

    def chains(self) -> Iterator[Chain]:
        """The counted chains, decoded (single-argument events, entities numbered)."""
        events, starts = self.events, self.chain_starts
        for i, document in enumerate(self.chain_documents.tolist()):
            ids = self.event_ids[starts[i] : starts[i + 1]].tolist()
            yield Chain(self.documents[document], str(i), tuple(events[e] for e in ids))

    def support(self, context: Iterable[int], event: int, most: int = 3) -> list[str]:
        """Documents that hold ``event`` and some of ``context``, those with most of it first."""
        documents, _ = self.postings.row(event)
        if not len(documents):
            return []
        shared = np.zeros(len(documents))
        for other in {e for e in context if e >= 0 and e != event}:
            shared += np.isin(documents, self.postings.row(other)[0], assume_unique=True)
        best = np.argsort(-shared, kind="stable")[:most]
        return [self.documents[documents[i]] for i in best if shared[i] > 0]
