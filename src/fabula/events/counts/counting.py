"""Count the events and pairs of chains in memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.events.counts.encoding import EncodedChains, Vocabulary, encode_chains, look_up
from fabula.events.counts.event_counts import Counts, EventType
from fabula.events.counts.pairs import PairTable, Run, count_keys, pack, pair_keys, widen_keys
from fabula.events.counts.store import CHAIN_ARRAYS, PAIR_TABLES
from fabula.events.items import Chain

__all__ = ["PairCounter", "count", "reorder_chains"]

Ids = NDArray[np.uint32]


def count(chains: Iterable[Chain], *, skip: int = 2, recipe: str | None = None) -> Counts:
    """Count chains of two events or more; pairs with at most ``skip`` events between also apart.

    ``recipe`` prepares the chains as the cloze tests of that name are: see ``recipes.prepare``.

    >>> from fabula.events.items import Event
    >>> counts = count([Chain("d", "1", (Event("arrest", "obj"), Event("flee", "subj")))])
    >>> counts.event_types, counts.chain_pairs.total
    ([('arrest', 'obj'), ('flee', 'subj')], 1)
    """
    counter = PairCounter(skip)
    for batch in encode_chains(chains, recipe):
        counter.add(batch)
    if not counter.event_types:
        raise UsageError("there is no chain of two events or more to count")
    runs, arrays = counter.take()
    order = np.argsort(arrays["chain_documents"], kind="stable")
    event_ids, lengths = reorder_chains(arrays["flat"], arrays["lengths"], order)
    types = len(counter.event_types)
    return Counts(
        event_types=list(counter.event_types),
        skip_bigrams=PairTable(*runs["near"], types),
        chain_pairs=PairTable(*runs["whole"], types),
        postings=PairTable(*runs["posting"], types),
        event_ids=event_ids,
        chain_lengths=lengths,
        chain_documents=arrays["chain_documents"][order],
        documents=list(counter.documents),
        titles=counter.titles,
        skip=skip,
        recipe=recipe,
    )


class PairCounter:
    """The vocabularies of all chains so far, and the chains and pair keys not yet taken."""

    def __init__(self, skip: int) -> None:
        self.skip = skip
        self.event_types: dict[EventType, int] = Vocabulary()
        self.documents: dict[str, int] = Vocabulary()
        self.titles: dict[str, str] = {}
        self.chains = 0
        self.bytes = 0  # of the keys
        self._clear()

    def _clear(self) -> None:
        self._keys: dict[str, list[NDArray[np.unsignedinteger]]] = {n: [] for n in PAIR_TABLES}
        self._arrays: dict[str, list[Ids]] = {name: [] for name in CHAIN_ARRAYS}
        self.bytes = 0

    def add(self, batch: EncodedChains) -> None:
        """Keep the chains of a batch and the keys of their pairs; new names get the next ids."""
        types = look_up(self.event_types, batch.event_types, len(batch.event_types))
        documents = look_up(self.documents, batch.documents, len(batch.documents))
        self.titles |= batch.titles
        event_ids, document_ids = types[batch.event_ids], documents[batch.document_ids]
        lengths = batch.lengths.astype(np.int64)
        narrow = len(self.event_types) <= 1 << 16
        for keys, distance in pair_keys(event_ids, lengths, narrow=narrow):
            self._keep("whole", keys)
            if distance <= self.skip + 1:
                self._keep("near", keys)
        self._keep("posting", pack(event_ids, np.repeat(document_ids, lengths)))
        self._arrays["flat"].append(event_ids)
        self._arrays["lengths"].append(batch.lengths)
        self._arrays["chain_documents"].append(document_ids)
        self.chains += len(batch)

    def _keep(self, table: str, keys: NDArray[np.unsignedinteger]) -> None:
        self._keys[table].append(keys)
        self.bytes += keys.nbytes

    def take(self) -> tuple[dict[str, Run], dict[str, Ids]]:
        """A sorted run of each pair table and the chain arrays since the last time; forget them."""
        runs = {}
        for name, pieces in self._keys.items():
            if len({keys.dtype for keys in pieces}) > 1:  # the vocabulary outgrew narrow keys
                pieces = [widen_keys(keys) for keys in pieces]
            runs[name] = count_keys(np.concatenate(pieces) if pieces else np.zeros(0, np.uint64))
            self._keys[name] = []
        arrays = {
            name: np.concatenate(pieces) if pieces else np.zeros(0, np.uint32)
            for name, pieces in self._arrays.items()
        }
        self._clear()
        return runs, arrays


def reorder_chains(event_ids: Ids, lengths: Ids, order: NDArray[np.int64]) -> tuple[Ids, Ids]:
    """The events and lengths of the chains in another order."""
    if np.array_equal(order, np.arange(len(order))):
        return event_ids, lengths
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    moved = lengths[order].astype(np.int64)
    shift = np.repeat(starts[order] - (np.cumsum(moved) - moved), moved)
    return event_ids[np.arange(len(event_ids)) + shift], lengths[order]
