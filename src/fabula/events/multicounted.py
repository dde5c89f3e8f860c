"""What the multi-argument models have in common: counting rewritten pairs, candidates, ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log2
from os import PathLike
from typing import Any, ClassVar, TypeVar

import numpy as np

from fabula import weights
from fabula.errors import UsageError
from fabula.events.build import RECIPES, prepare
from fabula.events.cloze import EventTest, Place, Prediction, Ranking
from fabula.events.counted import Items, as_chains
from fabula.events.counts import Counts
from fabula.events.items import Chain, Event
from fabula.events.multi import (
    OTHER,
    Frame,
    Rewritten,
    expand,
    frame_of,
    frames_of,
    number_of_fillings,
    rewrite,
    variants,
)
from fabula.progress import track

__all__ = ["MultiCounted"]

Pairs = dict[Rewritten, dict[Rewritten, int]]
Self = TypeVar("Self", bound="MultiCounted")
_SLOTS = ("subj", "obj", "prep")


class MultiCounted(ABC):
    """Ranks whole events by rewritten pairs.

    A candidate is a verb with its slots filled from nothing, some Other, or the entities of the
    chain, an entity in one slot at most. Ranked are those seen beside at least one known event,
    found from the pairs themselves; the others share the ranks left over.
    """

    registered: ClassVar[str]
    skip: int
    recipe: str | None
    seed: int

    def fit(self: Self, items: Items, dev: Iterable[Chain | EventTest] = ()) -> Self:
        if isinstance(items, Counts):
            raise UsageError(
                f"{self.registered} needs whole events, and a counts store keeps single slots: "
                "train it on chain files"
            )
        rules = RECIPES[self.recipe or "lm-cloze"]
        pairs: Counter[tuple[Rewritten, Rewritten]] = Counter()
        frames: Counter[Rewritten] = Counter()
        for chain in as_chains(items):
            found = frames_of(prepare(chain, rules))
            if len(found) < 2:
                continue
            frames.update(_seen_from(frame, chain.entity) for frame in found)
            for i, earlier in enumerate(found):
                for later in found[i + 1 : i + self.skip + 2]:
                    pairs[rewrite(earlier, later)] += 1
        if not pairs:
            raise UsageError("there is no chain of two events or more to learn from")
        self._set(pairs, frames)
        return self

    def _set(self, pairs: Counter[tuple[Rewritten, Rewritten]], frames: Counter[Rewritten]) -> None:
        self.pairs_, self.frames_ = pairs, frames
        self.after_: Pairs = defaultdict(dict)
        self.before_: Pairs = defaultdict(dict)
        self.firsts_: Counter[Rewritten] = Counter()
        self.seconds_: Counter[Rewritten] = Counter()
        for (first, second), number in pairs.items():
            self.after_[first][second] = number
            self.before_[second][first] = number
            self.firsts_[first] += number
            self.seconds_[second] += number
        self.types_ = len({*self.firsts_, *self.seconds_})
        self.total_ = self.firsts_.total()
        self.verbs_ = Counter[str]()
        for frame, number in frames.items():
            self.verbs_[frame[0]] += number
        ranked = sorted(frames, key=lambda frame: (-frames[frame], frame))
        self.frequency_ = {frame: place for place, frame in enumerate(ranked, 1)}

    def rank(self, tests: Sequence[EventTest], top: int = 50) -> list[Ranking]:
        self._ready()
        return [self._rank(test, top) for test in track(tests, "ranking")]

    def _rank(self, test: EventTest, top: int) -> Ranking:
        entity = test.entity or "1"
        known = [frame_of(event, entity) for event in test.events]
        entities = list(dict.fromkeys(who for f in known for who in f.slots if who is not None))
        before, after = known[: test.hole], known[test.hole :]
        if not test.ordered:  # nobody knows which came first: both ways count
            before = after = known
        scores = self.scored(before, after, entities)
        if test.options:
            return _chosen(scores, test, entity, entities, self)
        size = len(self.verbs_) * number_of_fillings(len(entities))
        best = sorted(scores, key=lambda frame: (-scores[frame], str(frame)))[:top]
        values = np.sort(np.array(list(scores.values())))

        def locate(event: Event) -> Place:
            frame = _within(frame_of(event, entity), entities)
            frequency = self.frequency_.get(_seen_from(frame, entity))
            mine = scores.get(frame)
            if mine is None:
                rest = max(size - len(values), 1)
                unseen = frame.verb not in self.verbs_
                return Place(size + 1.0 if unseen else len(values) + (rest + 1) / 2, frequency)
            better = len(values) - int(np.searchsorted(values, mine, side="right"))
            equal = len(values) - better - int(np.searchsorted(values, mine))
            return Place(better + (equal + 1) / 2, frequency)

        found = tuple(self._prediction(frame, scores[frame], entity) for frame in best)
        return Ranking(found, max(size, len(found)), locate=locate)

    def _prediction(self, frame: Frame, score: float, entity: str) -> Prediction:
        count = self.frames_.get(_seen_from(frame, entity), 0)
        bits = -log2(max(count, 0.5) / self.frames_.total())
        return Prediction(_event(frame, entity), score, bits)

    def scored(
        self, before: Sequence[Frame], after: Sequence[Frame], entities: Sequence[str]
    ) -> dict[Frame, float]:
        """The score of every candidate seen beside a known event, from the pairs themselves."""
        found = self.generate(before, after, entities)
        return {frame: self.score(frame, before, after) for frame in found if self.allowed(frame)}

    def generate(
        self, before: Sequence[Frame], after: Sequence[Frame], entities: Sequence[str]
    ) -> set[Frame]:
        found: set[Frame] = set()
        for known in before:
            for told in variants(known):
                for second in self.after_.get(told, ()):
                    found.update(expand(second, known, told, entities, later=True))
        for known in after:
            for told in variants(known):
                for first in self.before_.get(told, ()):
                    found.update(expand(first, known, told, entities, later=False))
        return {frame for frame in found if any(frame.slots)}

    def allowed(self, frame: Frame) -> bool:
        return True

    @abstractmethod
    def score(self, frame: Frame, before: Sequence[Frame], after: Sequence[Frame]) -> float:
        """How well a candidate goes with the known events."""

    def _ready(self) -> None:
        if not hasattr(self, "pairs_"):
            raise UsageError(
                f"{self.registered} is not trained, and none comes with the package; train it: "
                f"fabula train events/{self.registered} CHAINS -o FOLDER"
            )

    def parameters(self) -> dict[str, Any]:
        import inspect

        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def save(self, folder: str | PathLike[str]) -> None:
        self._ready()
        types = sorted({*self.firsts_, *self.seconds_, *self.frames_})
        ids = {told: place for place, told in enumerate(types)}
        rows = sorted((ids[f], ids[s], number) for (f, s), number in self.pairs_.items())
        config = {
            "model": f"events/{self.registered}",
            "parameters": self.parameters(),
            "types": [list(told) for told in types],
        }
        arrays = {
            "pairs": np.array(rows, dtype=np.uint32).reshape(-1, 3),
            "frames": np.array([self.frames_.get(told, 0) for told in types], dtype=np.uint32),
        }
        weights.write(folder, config, arrays)

    @classmethod
    def load(cls: type[Self], folder: str | PathLike[str]) -> Self:
        with weights.reading(folder) as (config, arrays):
            model = cls(**config["parameters"])
            types: list[Any] = [tuple(told) for told in config["types"]]
            pairs = Counter({(types[f], types[s]): int(n) for f, s, n in arrays["pairs"].tolist()})
            frames = Counter(
                {told: n for told, n in zip(types, arrays["frames"].tolist(), strict=True) if n}
            )
            model._set(pairs, frames)
        return model


def _seen_from(frame: Frame, entity: str) -> Rewritten:
    """The event as its chain's entity sees it: X, others, or nobody in each slot."""
    one, two, three = ("-" if who is None else "X" if who == entity else "O" for who in frame.slots)
    return frame.verb, one, two, three


def _within(frame: Frame, entities: Sequence[str]) -> Frame:
    """The frame with every entity that no known event mentions told as Other."""
    one, two, three = (who if who is None or who in entities else OTHER for who in frame.slots)
    return Frame(frame.verb, (one, two, three))


def _event(frame: Frame, entity: str) -> Event:
    args = {slot: who for slot, who in zip(_SLOTS, frame.slots, strict=True) if who is not None}
    slot = next((slot for slot, who in args.items() if who == entity), next(iter(args)))
    return Event(frame.verb, slot, args)


def _chosen(
    scores: dict[Frame, float],
    test: EventTest,
    entity: str,
    entities: Sequence[str],
    model: MultiCounted,
) -> Ranking:
    """The options alone; one never seen beside a known event stands below all that were."""
    floor = min(scores.values(), default=0.0) - 1.0
    frames = [_within(frame_of(option, entity), entities) for option in test.options]
    rated = [
        Prediction(option, scores.get(frame, floor), model._prediction(frame, 0.0, entity).bits)
        for option, frame in zip(test.options, frames, strict=True)
    ]
    rated.sort(key=lambda p: (-p.score, str(p.event)))
    return Ranking(tuple(rated), len(rated))
