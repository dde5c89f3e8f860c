"""The event cloze: a chain with one event taken out, and where a model ranks that event."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from os import PathLike
from typing import Any, Protocol

from fabula.errors import InputError, UsageError
from fabula.events.items import Chain, Event, event_from_row
from fabula.task import View, read_answers
from fabula.text.io.records import Record, read_records

__all__ = [
    "TOP",
    "EventModel",
    "EventRank",
    "EventTest",
    "Prediction",
    "Ranking",
    "call",
    "check",
    "present",
    "read_ranking",
    "read_tests",
]

TOP = 50  # predictions kept of a ranking; the answer's own rank is exact however far down


@dataclass(frozen=True, slots=True)
class EventTest:
    """The events that are known, and where the missing one stood.

    ``hole`` counts the known events before it. In a test that is not ``ordered`` the events are a
    set and the hole says nothing. ``answer`` is gold and None when a model sees the test. With
    ``options`` one of them is to be chosen.
    """

    id: str
    events: tuple[Event, ...]
    hole: int
    answer: Event | None = None
    options: tuple[Event, ...] = ()
    ordered: bool = True
    entity: str | None = None
    document: str | None = None

    @property
    def before(self) -> tuple[Event, ...]:
        return self.events[: self.hole]

    @property
    def after(self) -> tuple[Event, ...]:
        return self.events[self.hole :]

    def filled(self) -> Chain:
        """The chain with the answer back in its hole."""
        if self.answer is None:
            raise UsageError(f"test {self.id!r} has no answer; it cannot be trained on or scored")
        events = (*self.before, self.answer, *self.after)
        return Chain(self.document or self.id, self.entity or "1", events)

    def to_row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "id": self.id,
            "events": [event.to_row() for event in self.events],
            "hole": self.hole,
        }
        if self.answer is not None:
            row["answer"] = self.answer.to_row()
        if self.options:
            row["options"] = [event.to_row() for event in self.options]
        if not self.ordered:
            row["ordered"] = False
        if self.entity is not None:
            row["entity"] = self.entity
        if self.document is not None:
            row["document"] = self.document
        return row


@dataclass(frozen=True, slots=True)
class EventRank:
    """Where an event stands in a ranking, ties at their mean rank, and how frequent it is.

    ``frequency_rank`` is 1 for the model's most frequent event type and None for one it has never
    seen.
    """

    rank: float
    frequency_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """One event a model expects; ``bits`` is how surprising it is in general."""

    event: Event
    score: float
    bits: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A model's answer: its best predictions, and ``locate``, which ranks any event at all.

    A model of your own may leave ``locate`` out: an event that is not among its predictions then
    shares the mean of the ranks left over. ``answer_rank`` is the rank of the right answer; the
    evaluator fills it in, since no model may see the answer.
    """

    predictions: tuple[Prediction, ...]
    candidates: int
    answer_rank: EventRank | None = None
    locate: Callable[[Event], EventRank] | None = field(default=None, compare=False, repr=False)

    def rank_of(self, event: Event) -> EventRank:
        if self.locate is not None:
            return self.locate(event)
        scores = [p.score for p in self.predictions]
        mine = next((p.score for p in self.predictions if _same(p.event, event)), None)
        if mine is None:
            rest = max(self.candidates - len(scores), 0)
            return EventRank(len(scores) + (rest + 1) / 2)
        better, equal = sum(s > mine for s in scores), sum(s == mine for s in scores)
        return EventRank(better + (equal + 1) / 2)


def _same(one: Event, other: Event) -> bool:
    """The same type of event: verb and slot, and the arguments where both have them."""
    if (one.verb, one.slot) != (other.verb, other.slot):
        return False
    return one.args is None or other.args is None or dict(one.args) == dict(other.args)


def read_tests(path: str | PathLike[str]) -> Iterator[EventTest]:
    """Event tests from JSONL or Parquet, built or made by hand; a wrong row names its line."""
    for record in read_records(path):
        try:
            yield _test(record)
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InputError(problem, path=path, line=record.line) from error


def _test(record: Record) -> EventTest:
    row = record.data
    rows, hole, answer = row["events"], row["hole"], row.get("answer")
    if not isinstance(rows, list):
        raise ValueError("'events' must be a list of the events that are known")
    # By hand one may mark the hole in its place: it is no event.
    if type(hole) is int and 0 <= hole < len(rows) and rows[hole] is None:
        rows = [*rows[:hole], *rows[hole + 1 :]]
    events = tuple(event_from_row(event) for event in rows)
    if not events:
        raise ValueError("'events' is empty: from nothing, nothing can be predicted")
    if type(hole) is not int or not 0 <= hole <= len(events):
        raise ValueError(
            f"'hole' must be 0 to {len(events)}, the number of known events before it; "
            f"it is {hole!r}"
        )
    found = None if answer is None else event_from_row(answer)
    options = tuple(event_from_row(option) for option in row.get("options") or [])
    if options and found is not None and sum(_same(option, found) for option in options) != 1:
        raise ValueError("the answer must be one of 'options', and only one")
    ordered = row.get("ordered")
    if ordered not in (None, True, False):
        raise ValueError(f"'ordered' must be true or false; it is {ordered!r}")
    entity, document = row.get("entity"), row.get("document")
    return EventTest(
        id=str(record.line if row.get("id") is None else row["id"]),
        events=events,
        hole=hole,
        answer=found,
        options=options,
        ordered=ordered is not False,
        entity=None if entity is None else str(entity),
        document=None if document is None else str(document),
    )


def present(
    test: EventTest, rng: random.Random, options: Mapping[str, Any]
) -> View[EventTest, Ranking]:
    """The test without its answer, document and sentence numbers; options and sets shuffled."""
    events, hole = [_bare(event) for event in test.events], test.hole
    if not test.ordered:
        rng.shuffle(events)
        hole = len(events)
    choices = [_bare(option) for option in test.options]
    rng.shuffle(choices)
    hidden = replace(
        test,
        events=tuple(events),
        hole=hole,
        answer=None,
        options=tuple(choices),
        document=None,
    )

    def restore(ranking: Ranking) -> Ranking:
        rank = None if test.answer is None else ranking.rank_of(test.answer)
        return replace(ranking, answer_rank=rank, locate=None)

    return View(hidden, restore)


def _bare(event: Event) -> Event:
    """Without where it stood in the text: a gap in the numbers would give the hole away."""
    return Event(event.verb, event.slot, event.args, negated=event.negated)


def check(test: EventTest, ranking: Ranking) -> None:
    """An answer has predictions with finite scores, best first; with options, exactly those."""
    scores = [p.score for p in ranking.predictions]
    if not all(abs(score) < float("inf") for score in scores):
        raise UsageError(f"test {test.id!r}: a score is not a finite number")
    if any(a < b for a, b in pairwise(scores)):
        raise UsageError(f"test {test.id!r}: the predictions are not sorted, best first")
    if ranking.candidates < len(scores):
        raise UsageError(
            f"test {test.id!r}: {len(scores)} predictions of {ranking.candidates} candidates"
        )
    if test.options and len(scores) != len(test.options):
        raise UsageError(
            f"test {test.id!r} has {len(test.options)} options; {len(scores)} were ranked"
        )


class EventModel(Protocol):
    """What a model of events has to have: the ``top`` best events for each hole, best first."""

    def rank(self, tests: list[EventTest], top: int, /) -> Sequence[Ranking]: ...


def call(model: EventModel, tests: Sequence[EventTest]) -> list[Ranking]:
    """The model's rankings, as deep as the metrics look."""
    return read_answers(tests, model.rank(list(tests), TOP), read_ranking)


def read_ranking(test: EventTest, value: Any) -> Ranking:
    """A ranking from events, best first, or from a row with ``events`` and their ``scores``.

    An event is an ``Event``, its row, or its text ``arrest->obj``; one alone is a ranking of one.
    Options that are not named share the last place. The row of a stored run keeps its ``rank``.

    >>> [str(p.event) for p in read_ranking(EventTest("a", (), 0), ["flee->subj"]).predictions]
    ['flee->subj']
    """
    if isinstance(value, Ranking):
        return value
    row = value if isinstance(value, Mapping) and "verb" not in value else {"events": value}
    given = row["events"]
    events = [_event(event) for event in ([given] if _is_event(given) else given)]
    scores = list(row.get("scores") or range(len(events), 0, -1))
    if len(scores) != len(events):
        raise ValueError(f"{len(scores)} scores for {len(events)} events")
    rest = [o for o in test.options if not any(_same(o, event) for event in events)]
    least = min(scores, default=0.0) - 1.0
    bits = row.get("bits") or [None] * len(events)
    named = zip([*events, *rest], [*scores, *(least for _ in rest)], strict=True)
    predictions = tuple(
        Prediction(event, float(score), bits[i] if i < len(events) else None)
        for i, (event, score) in enumerate(named)
    )
    candidates = max(int(row.get("candidates") or 0), len(predictions))
    if row.get("rank") is None:
        return Ranking(predictions, candidates)
    rank = EventRank(row["rank"], row.get("frequency_rank"))
    return Ranking(predictions, candidates, rank, locate=lambda _: rank)


def _is_event(value: Any) -> bool:
    return isinstance(value, str | Event) or (isinstance(value, Mapping) and "verb" in value)


def _event(value: Any) -> Event:
    if isinstance(value, str):
        verb, _, slot = value.partition("->")
        value = {"verb": verb, "slot": slot}
    return value if isinstance(value, Event) else event_from_row(value)
