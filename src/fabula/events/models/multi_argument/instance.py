"""Instance-based models of whole events: counts from the documents that resemble the chain.

Neither paper says when a document holds a whole event, whose entities are others in every document.
Here it does when one of its chains has the event as its own entity sees it: the same verb, with the
entity, somebody else or nobody in each slot (``relative_to_entity``).
"""

from __future__ import annotations

import copy
from abc import ABC
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import State
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import PairTable, count_keys, merge_runs, pack
from fabula.events.items import Chain
from fabula.events.models.count_model import Items, as_chains
from fabula.events.models.instance.base import Instances, SharedEvents, documents_with
from fabula.events.models.multi_argument.base import MultiArgumentModel, relative_to_entity
from fabula.events.models.multi_argument.bigram import MultiBigram
from fabula.events.models.multi_argument.candidates import (
    SLOT_CODES,
    ArgumentFillings,
    Candidates,
    encode_slots,
)
from fabula.events.models.multi_argument.rewriting import MultiEvent, RewrittenEvent

__all__ = ["MultiInstanceBigram", "MultiInstanceUnigram"]


class _MultiInstanceModel(SharedEvents, MultiArgumentModel, ABC):
    """Counts for each test from the documents that hold ``share`` of its whole events.

    Backs off as ``instance-unigram`` does: one event less is asked for until ``least`` documents
    have them, else the whole corpus counts.
    """

    share: float

    def fit(self, items: Items, dev: Iterable[Chain | EventTest] = ()) -> Self:
        chains = [] if isinstance(items, Counts) else list(as_chains(items))
        super().fit(items if isinstance(items, Counts) else chains, dev)  # refuses a store
        numbers = {frame: i for i, frame in enumerate(sorted(self.frames_))}
        documents: dict[str, int] = {}
        frames: list[tuple[int, int]] = []
        pairs: list[tuple[int, int, int]] = []
        for chain, found in self.read_chains(chains):
            document = documents.setdefault(chain.document, len(documents))
            frames += [(document, numbers[relative_to_entity(e, chain.entity)]) for e in found]
            for first, second in self.rewritten_pairs(found):
                pairs.append((document, self._number(first), self._number(second)))
        self._set_documents(
            np.array(frames, dtype=np.int64).reshape(-1, 2),
            np.array(pairs, dtype=np.int64).reshape(-1, 3),
        )
        return self

    def _number(self, told: RewrittenEvent) -> int:
        return self.ids_[told[0]] * SLOT_CODES + encode_slots(told)

    def _set_documents(self, frames: NDArray[np.int64], pairs: NDArray[np.int64]) -> None:
        """Index whole events (document, frame) and pairs (document, first, second)."""
        self.document_frames_ = frames[np.argsort(frames[:, 0], kind="stable")]
        self.document_pairs_ = pairs[np.argsort(pairs[:, 0], kind="stable")]
        self.numbers_ = {frame: i for i, frame in enumerate(sorted(self.frames_))}
        # The rows of slot_signs_ are in the order of frames_; those of an index are sorted.
        self.sorted_places_ = np.array([self.numbers_[frame] for frame in self.frames_])
        keys = count_keys(pack(frames[:, 1], frames[:, 0]))
        self.postings_ = PairTable(*keys, len(self.numbers_))

    def instances(self, known: Sequence[MultiEvent], own: str) -> Instances:
        """The documents that resemble the known events of a chain."""
        frames = [self.numbers_.get(relative_to_entity(event, own), -1) for event in known]
        found = documents_with(self.postings_, np.array(frames), self.share, self.least)
        return self.count_back_off(found)

    def state(self) -> State:
        values, arrays, _ = super().state()
        index = {"document_frames": self.document_frames_, "document_pairs": self.document_pairs_}
        return State(values, {**arrays, **index})

    def restore(self, state: State) -> None:
        super().restore(state)
        self._set_documents(state.arrays["document_frames"], state.arrays["document_pairs"])


def _rows_of(table: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of some documents; the first column is the document, rising."""
    return np.asarray(table[np.isin(table[:, 0], documents)])


@dataclass(kw_only=True, eq=False, repr=False)
class MultiInstanceUnigram(_MultiInstanceModel):
    """S(a) = (C(a) + w C0(a)/N0) / (N + w), C from documents with ``share`` of the whole events.

    With ``share`` 1.0 this is "Uni Exact 100%" of Table 2, with 0.5 its "50%"; ``weight`` w mixes
    in the whole corpus, C0, so that what those few documents lack is ranked by frequency.
    """

    registered = "events/multi-instance-unigram"

    share: float = 0.5
    weight: float = 30.0
    least: int = 1
    skip: int = 5
    recipe: str | None = None
    seed: int = 0

    def score_candidates(
        self,
        before: Sequence[MultiEvent],
        after: Sequence[MultiEvent],
        entities: Sequence[str],
        own: str,
    ) -> Candidates:
        found = self.instances([*before, *after], own)
        shares = self.event_counts_ / self.event_counts_.sum()
        here = _rows_of(self.document_frames_, found.documents)[:, 1]
        local = np.bincount(here, minlength=len(shares))[self.sorted_places_]
        fillings = ArgumentFillings(entities)
        mixed = (local + self.weight * shares) / (len(here) + self.weight)
        keys, scores = self.training_candidates(fillings, own, mixed)
        return Candidates(keys, scores, fillings, self.names_, self.ids_)


@dataclass(kw_only=True, eq=False, repr=False)
class MultiInstanceBigram(_MultiInstanceModel):
    """``multi-bigram`` with the counts of documents that hold ``share`` of the whole events.

    They are added, ``weight`` times, to the counts of the whole corpus, as in ``instance-bigram``.
    """

    registered = "events/multi-instance-bigram"

    share: float = 1.0
    weight: int = 1
    smoothing: float = 0.1
    prior: str = "unigram"
    least: int = 1
    skip: int = 5
    recipe: str | None = None
    seed: int = 0

    def score_candidates(
        self,
        before: Sequence[MultiEvent],
        after: Sequence[MultiEvent],
        entities: Sequence[str],
        own: str,
    ) -> Candidates:
        found = self.instances([*before, *after], own)
        pairs = _rows_of(self.document_pairs_, found.documents)
        bigram = MultiBigram(skip=self.skip, smoothing=self.smoothing, prior=self.prior)
        vars(bigram).update({n: v for n, v in vars(self).items() if n.endswith("_")})
        if len(pairs):
            bigram.pairs_ = self.with_pairs(pairs)
            bigram.firsts_ = copy.copy(self.firsts_)
            np.add.at(bigram.firsts_, pairs[:, 1], self.weight)
        return bigram.score_candidates(before, after, entities, own)

    def with_pairs(self, pairs: NDArray[np.int64]) -> PairTable:
        """The pairs of the whole corpus with those of some documents counted again."""
        keys, counts = count_keys(pack(pairs[:, 1], pairs[:, 2]))
        local = keys, (counts * self.weight).astype(np.uint32)
        merged = list(merge_runs([(self.pairs_.keys, self.pairs_.counts), local]))
        return PairTable(
            np.concatenate([keys for keys, _ in merged]),
            np.concatenate([counts for _, counts in merged]),
            self.pairs_.rows,
        )
