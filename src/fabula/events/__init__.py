"""Events: chains of who did what, and predicting the event that is missing from one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.events.api import predict_events
from fabula.events.cloze.event_test import (
    EventModel,
    EventRank,
    EventTest,
    Prediction,
    Ranking,
    call,
    check,
    present,
    read_ranking,
    read_tests,
)
from fabula.events.extract.chains import extract_events
from fabula.events.formats.sources import read_chains, read_training
from fabula.events.items import Chain, Event, event_from_row
from fabula.events.metrics import METRICS
from fabula.task import Task

__all__ = [
    "TASK", "Chain", "Event", "EventModel", "EventTest", "Prediction", "Ranking", "extract_events",
    "predict_events", "read_chains", "read_tests",
]  # fmt: skip


def _to_row(ranking: Ranking) -> dict[str, Any]:
    answer = ranking.answer_rank
    return {
        "events": [p.event.to_row() for p in ranking.predictions],
        "scores": [p.score for p in ranking.predictions],
        "bits": [p.bits for p in ranking.predictions],
        "candidates": ranking.candidates,
        "rank": answer.rank if answer else None,
        "frequency_rank": answer.frequency_rank if answer else None,
    }


def _from_row(row: Mapping[str, Any]) -> Ranking:
    found = zip(row["events"], row["scores"], row["bits"], strict=True)
    rank = row["rank"]
    return Ranking(
        tuple(Prediction(event_from_row(event), score, bits) for event, score, bits in found),
        row["candidates"],
        None if rank is None else EventRank(rank, row["frequency_rank"]),
    )


def _events(text: str) -> tuple[Event, ...]:
    words = (word.partition("->") for word in text.split())
    return tuple(Event(verb, slot) for verb, _, slot in words)


def _example(name: str, known: str, hole: int, answer: str, **more: Any) -> EventTest:
    return EventTest(name, _events(known), hole, _events(answer)[0], **more)


def _examples() -> list[EventTest]:
    return [
        _example("flight", "arrest->obj escape->subj flee->subj", 3, "catch->obj"),
        _example("capture", "arrest->obj flee->subj catch->obj", 1, "escape->subj"),
        _example("match", "head->subj celebrate->subj win->subj", 1, "score->subj"),
        _example("set", "win->subj celebrate->subj", 2, "score->subj", ordered=False),
        _example(
            "choice",
            "arrest->obj escape->subj",
            2,
            "flee->subj",
            options=_events("celebrate->subj flee->subj head->subj"),
        ),
        _example("unseen", "yodel->subj", 1, "arrest->obj"),
    ]


TASK: Task[EventTest, Ranking] = Task(
    name="events",
    read=read_tests,
    present=present,
    call=call,
    check=check,
    to_row=_to_row,
    from_row=_from_row,
    metrics=METRICS,
    examples=_examples,
    training=read_training,
    contract="rank(tests, top) -> list[Ranking]",
    read_answer=read_ranking,
)
