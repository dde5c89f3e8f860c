"""Gaps: events that usually stand between two that are told. A guess, and marked as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from fabula.assembly.items import Gap
from fabula.errors import FabulaError
from fabula.types import Narrative

__all__ = ["find_gaps"]

_LOOK = 5  # predictions looked at for each place
_MOST = 3  # guesses for a story
_SURE = 0.0  # a model's score above which a guess is worth saying


def find_gaps(stories: Sequence[Narrative], model: Any = "best") -> tuple[Gap, ...]:
    """For neighbouring deeds of one actor, what a model of event chains would put between.

    Nothing is guessed where no model of events is shipped or given.
    """
    from fabula.events import Event, EventTest

    chosen = _model(model)
    if chosen is None:
        return ()
    tests: list[EventTest] = []
    places: list[tuple[int, int, int, str, set[Event]]] = []
    for story in stories:
        for actor in story.actors:
            chain = [
                (deed.position, Event(deed.verb, "subj" if actor.name in deed.subject else "obj"))
                for deed in story.deeds
                if actor.name in (deed.subject, deed.object) and not deed.negated
            ]
            for (before, one), (after, two) in pairwise(chain):
                if after - before > 1:
                    continue  # what stands between is told
                tests.append(EventTest(id=str(len(tests)), events=(one, two), hole=1, answer=one))
                places.append((story.id, before, after, actor.name, {one, two}))
    if not tests:
        return ()
    try:
        rankings = chosen.rank(tests, _LOOK)
    except FabulaError:
        if model == "best":  # its counts are not shipped with this build: nothing to guess from
            return ()
        raise
    found: dict[int, list[Gap]] = {}
    for ranking, (number, before, after, name, told) in zip(rankings, places, strict=True):
        for guess in ranking.predictions:
            if guess.score > _SURE and guess.event.single not in told:
                gap = Gap(number, before, after, name, str(guess.event), round(guess.score, 3))
                found.setdefault(number, []).append(gap)
                break
    return tuple(
        gap
        for gaps in found.values()
        for gap in sorted(gaps, key=lambda g: (-g.score, g.after))[:_MOST]
    )


def _model(model: Any) -> Any:
    from fabula.registry import BEST, create_model

    if not isinstance(model, str):
        return model
    if model == "best" and "events" not in BEST:
        return None
    try:
        return create_model("events", model)
    except FabulaError:
        return None
