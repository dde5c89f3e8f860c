"""Gaps: narrative cloze between neighbouring deeds of one actor; every gap is a guess."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from fabula.assembly.types import Gap
from fabula.errors import FabulaError
from fabula.types import Actor, Narrative

if TYPE_CHECKING:
    from fabula.events import Event

__all__ = ["find_gaps"]

LIFT = 2.0  # how much more often than by chance the event goes with its two neighbours
_TOP = 10  # predictions considered for each gap
_MAX_PER_STORY = 3
_MAX_CLOZES = 60  # of a pile: bounds the time that a large one takes


def find_gaps(stories: Sequence[Narrative], model: Any = "best") -> tuple[Gap, ...]:
    """For neighbouring deeds of one actor, the event the model expects between them.

    The event must go with its two neighbours ``LIFT`` times as often as by chance, so that merely
    frequent ones are left out. There are no gaps where no event counts are installed.
    """
    from fabula.events.api import predict_events
    from fabula.registry import create_model

    gaps_by_story: dict[int, list[Gap]] = {}
    clozes = (
        (story.id, actor.name, *neighbours)
        for story in stories
        for actor in story.actors
        for neighbours in _neighbours(story, actor)
    )
    try:
        event_model = create_model("events", model)
        for story_id, name, before, after, first, second in islice(clozes, _MAX_CLOZES):
            predicted = predict_events((first, second), hole=1, top=_TOP, model=event_model).events
            specific = (e for e in predicted if not (e.only_frequency or e.lift < LIFT))
            if guess := next(specific, None):
                score = guess.score if math.isnan(guess.lift) else guess.lift
                gap = Gap(story_id, before, after, name, str(guess.event), round(score, 3))
                gaps_by_story.setdefault(story_id, []).append(gap)
    except FabulaError:
        if model != "best":
            raise
        return ()  # no event counts installed
    return tuple(
        gap
        for gaps in gaps_by_story.values()
        for gap in sorted(gaps, key=lambda g: (-g.score, g.after, g.actor))[:_MAX_PER_STORY]
    )


def _neighbours(story: Narrative, actor: Actor) -> Iterator[tuple[int, int, Event, Event]]:
    """Deeds of the actor in neighbouring sentences: positions and events."""
    from fabula.events import Event

    surname = actor.name.split()[-1]
    chain = [
        (deed.position, Event(deed.verb, "subj" if surname in deed.subject.split() else "obj"))
        for deed in story.deeds
        if not deed.negated and surname in (*deed.subject.split(), *deed.object.split())
    ]
    for (before, first), (after, second) in pairwise(chain):
        if after - before == 1 and first != second:
            yield before, after, first, second
