"""Base of the multi-argument models: counts of rewritten pairs, candidates, ranking.

Pichotta and Mooney 2014: events with all their arguments, pairs rewritten entity by entity.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import log2
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.events.cloze.event_test import EventRank, EventTest, Prediction, Ranking
from fabula.events.counts.encoding import Vocabulary
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import PairTable, Run, count_keys, pack, unpack
from fabula.events.items import Chain, Event
from fabula.events.models.count_model import Items, as_chains
from fabula.events.models.multi_argument.candidates import (
    SLOT_CODES,
    ArgumentFillings,
    Candidates,
    Floats,
    Ints,
    encode_slots,
)
from fabula.events.models.multi_argument.rewriting import (
    OTHER,
    MultiEvent,
    RewrittenEvent,
    multi_event,
    multi_events,
    number_of_fillings,
    rewrite,
)
from fabula.events.recipes import RECIPES, prepare

__all__ = ["MultiArgumentModel", "relative_to_entity"]

ENTITIES = 10  # of a chain; fillings grow with their cube, and few chains have more
_SLOTS = ("subj", "obj", "prep")
_SEEN = "-OX"  # nobody, somebody else, the entity of the chain


class MultiArgumentModel(SavedModel):
    """Ranks multi-argument events; subclasses choose and score the candidates.

    A candidate is a verb with its slots filled from nothing, some Other, or the entities of the
    chain (the ``ENTITIES`` mentioned most), an entity in one slot at most. Those that are not
    ranked share the ranks left over. A rewritten event is a number, that of its verb times 125 and
    how its slots are told, so that pairs are a table like those of single slots.
    """

    fitted = "pairs_"
    skip: int
    recipe: str | None
    seed: int

    def fit(self, items: Items, dev: Iterable[Chain | EventTest] = ()) -> Self:
        if isinstance(items, Counts):
            raise UsageError(
                f"{self.short_name()} needs whole events, and a counts store keeps single slots: "
                "train it on chain files"
            )
        verbs, told = Vocabulary(), Vocabulary()
        frames: Counter[RewrittenEvent] = Counter()
        keys: list[int] = []
        for chain, found in self.read_chains(as_chains(items)):
            frames.update(relative_to_entity(frame, chain.entity) for frame in found)
            for first, second in self.rewritten_pairs(found):
                keys.append(told[first] << 32 | told[second])
        if not keys:
            raise UsageError("there is no chain of two events or more to learn from")
        types = np.array(
            [verbs[event[0]] * SLOT_CODES + encode_slots(event) for event in told], dtype=np.int64
        )
        one, two = unpack(np.array(keys, dtype=np.uint64))
        self._set(list(verbs), count_keys(pack(types[one], types[two])), frames)
        return self

    def read_chains(self, chains: Iterable[Chain]) -> Iterator[tuple[Chain, list[MultiEvent]]]:
        """The chains of two whole events or more, by the rules of the recipe."""
        rules = RECIPES[self.recipe or "lm-cloze"]
        for chain in chains:
            found = multi_events(prepare(chain, rules))
            if len(found) >= 2:
                yield chain, found

    def rewritten_pairs(
        self, events: Sequence[MultiEvent]
    ) -> Iterator[tuple[RewrittenEvent, RewrittenEvent]]:
        """The pairs at most ``skip`` events apart, rewritten."""
        for i, earlier in enumerate(events):
            for later in events[i + 1 : i + self.skip + 2]:
                yield rewrite(earlier, later)

    def _set(self, verbs: list[str], pairs: Run, frames: Counter[RewrittenEvent]) -> None:
        self.names_, self.frames_ = verbs, frames
        self.ids_ = {verb: place for place, verb in enumerate(verbs)}
        self.pairs_ = PairTable(*pairs, len(verbs) * SLOT_CODES)
        firsts, seconds = unpack(self.pairs_.keys)
        size = self.pairs_.rows
        self.firsts_ = np.bincount(firsts, self.pairs_.counts, size + 1)  # and one never seen
        self.seconds_ = np.bincount(seconds, self.pairs_.counts, size)
        self.types_ = len({*np.unique(firsts).tolist(), *np.unique(seconds).tolist()})
        self.verbs_ = Counter[str]()
        for frame, number in frames.items():
            self.verbs_[frame[0]] += number
        self.verb_counts_ = np.array([self.verbs_[verb] for verb in verbs])
        told = [(self.ids_[verb], *map(_SEEN.index, signs)) for verb, *signs in frames]
        self.slot_signs_ = np.array(told, dtype=np.int64).reshape(-1, 4)
        self.event_counts_ = np.fromiter(frames.values(), float, len(frames))
        ranked = sorted(frames, key=lambda frame: (-frames[frame], frame))
        self.frequency_ = {frame: place for place, frame in enumerate(ranked, 1)}

    def training_candidates(
        self, fillings: ArgumentFillings, own: str, counts: Floats | None = None
    ) -> tuple[Ints, Floats]:
        """The whole events of training as candidates, with ``own`` for the entity, and how often.

        Whoever else is in an event is some Other: which of the chain's entities, nobody knows.
        ``counts`` are other counts of the ``frames_``, in their order.
        """
        counts = self.event_counts_ if counts is None else counts
        verbs, one, two, three = self.slot_signs_.T
        side = len(fillings.entities) + 2
        who = np.array([0, 1, fillings.numbers.get(own, 1)])
        filled = (who[one] * side + who[two]) * side + who[three]
        once = fillings.allowed[filled]
        keys, place = np.unique((verbs * fillings.size + filled)[once], return_inverse=True)
        return keys, np.bincount(place, counts[once], len(keys)).astype(float)

    def rank(self, tests: Sequence[EventTest], top: int = 50) -> list[Ranking]:
        self.ensure_trained()
        return [self._rank(test, top) for test in track(tests, "ranking")]

    def _rank(self, test: EventTest, top: int) -> Ranking:
        entity = test.entity or "1"
        known = [multi_event(event, entity) for event in test.events]
        mentioned = Counter(who for frame in known for who in frame.slots if who is not None)
        entities = [who for who, _ in mentioned.most_common(ENTITIES)]
        before, after = known[: test.hole], known[test.hole :]
        if not test.ordered:  # nobody knows which came first: both ways count
            before = after = known
        found = self.score_candidates(before, after, entities, entity)
        if test.options:
            return _chosen(found, test, entity, self)
        size = len(self.names_) * number_of_fillings(len(entities))

        def locate(event: Event) -> EventRank:
            frame = multi_event(event, entity)
            frequency = self.frequency_.get(relative_to_entity(_within(frame, entities), entity))
            mine = found.score_of(frame)
            if mine is None:
                rest = max(size - len(found.scores), 1)
                unseen = frame.verb not in self.ids_
                place = size + 1.0 if unseen else len(found.scores) + (rest + 1) / 2
                return EventRank(place, frequency)
            better = int(np.count_nonzero(found.scores > mine))
            equal = int(np.count_nonzero(found.scores == mine))
            return EventRank(better + (equal + 1) / 2, frequency)

        best = [self._prediction(frame, score, entity) for frame, score in found.best(top)]
        return Ranking(tuple(best), max(size, len(best)), locate=locate)

    def _prediction(self, frame: MultiEvent, score: float, entity: str) -> Prediction:
        count = self.frames_.get(relative_to_entity(frame, entity), 0)
        bits = -log2(max(count, 0.5) / self.frames_.total())
        return Prediction(_event(frame, entity), score, bits)

    @abstractmethod
    def score_candidates(
        self,
        before: Sequence[MultiEvent],
        after: Sequence[MultiEvent],
        entities: Sequence[str],
        own: str,
    ) -> Candidates:
        """The score of every candidate that is ranked; ``own`` is the entity of the chain."""

    def state(self) -> State:
        frames = sorted(self.frames_)
        values = {"verbs": self.names_, "frames": [list(frame) for frame in frames]}
        arrays: dict[str, NDArray[Any]] = {
            "keys": np.asarray(self.pairs_.keys).view(np.int64),
            "counts": np.asarray(self.pairs_.counts),
            "frames": np.array([self.frames_[frame] for frame in frames], dtype=np.uint32),
        }
        return State(values, arrays)

    def restore(self, state: State) -> None:
        told: list[Any] = [tuple(frame) for frame in state.values["frames"]]
        frames = Counter(dict(zip(told, state.arrays["frames"].tolist(), strict=True)))
        pairs = state.arrays["keys"].view(np.uint64), state.arrays["counts"]
        self._set(list(state.values["verbs"]), pairs, frames)


def relative_to_entity(frame: MultiEvent, entity: str) -> RewrittenEvent:
    """The event relative to the chain's entity: X for it, O for others, - for an empty slot."""
    one, two, three = ("-" if who is None else "X" if who == entity else "O" for who in frame.slots)
    return frame.verb, one, two, three


def _within(frame: MultiEvent, entities: Sequence[str]) -> MultiEvent:
    """The event with every entity that no known event mentions replaced by Other."""
    one, two, three = (who if who is None or who in entities else OTHER for who in frame.slots)
    return MultiEvent(frame.verb, (one, two, three))


def _event(frame: MultiEvent, entity: str) -> Event:
    args = {slot: who for slot, who in zip(_SLOTS, frame.slots, strict=True) if who is not None}
    slot = next((slot for slot, who in args.items() if who == entity), next(iter(args)))
    return Event(frame.verb, slot, args)


def _chosen(found: Candidates, test: EventTest, entity: str, model: MultiArgumentModel) -> Ranking:
    """The options alone; one never seen beside a known event stands below all that were."""
    floor = float(found.scores.min(initial=0.0)) - 1.0
    rated = []
    for option in test.options:
        frame = multi_event(option, entity)
        score = found.score_of(frame)
        bits = model._prediction(_within(frame, found.fillings.entities), 0.0, entity).bits
        rated.append(Prediction(option, floor if score is None else score, bits))
    rated.sort(key=lambda p: (-p.score, str(p.event)))
    return Ranking(tuple(rated), len(rated))
