"""Gaps: events that usually stand between two that are told. A guess, and marked as one."""

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

LIFT = 2.0  # how much more often than by chance it goes with the two told events
_LOOK = 10  # predictions looked at for each place
_MOST = 3  # guesses for a story
_PLACES = 60  # looked at in all: a large pile is not to wait for guesses


def find_gaps(stories: Sequence[Narrative], model: Any = "best") -> tuple[Gap, ...]:
    """For neighbouring deeds of one actor, what the event model expects between them.

    What is merely frequent is no gap: an event must go with the two told ones ``LIFT`` times as
    often as chance would have it. Nothing is guessed where no event counts are installed.
    """
    from fabula.events.api import predict_events
    from fabula.registry import create_model

    found: dict[int, list[Gap]] = {}
    places = (
        (story.id, actor.name, *neighbours)
        for story in stories
        for actor in story.actors
        for neighbours in _neighbours(story, actor)
    )
    try:
        chosen = create_model("events", model)
        for story_id, name, before, after, one, two in islice(places, _PLACES):
            expected = predict_events((one, two), hole=1, top=_LOOK, model=chosen).events
            telling = (e for e in expected if not (e.only_frequency or e.lift < LIFT))
            if guess := next(telling, None):
                score = guess.score if math.isnan(guess.lift) else guess.lift
                gap = Gap(story_id, before, after, name, str(guess.event), round(score, 3))
                found.setdefault(story_id, []).append(gap)
    except FabulaError:
        if model != "best":
            raise
        return ()  # this build has no counts to guess from
    return tuple(
        gap
        for gaps in found.values()
        for gap in sorted(gaps, key=lambda g: (-g.score, g.after, g.actor))[:_MOST]
    )


def _neighbours(story: Narrative, actor: Actor) -> Iterator[tuple[int, int, Event, Event]]:
    """Deeds of the actor in neighbouring sentences: positions and events."""
    from fabula.events import Event

    last = actor.name.split()[-1]
    chain = [
        (deed.position, Event(deed.verb, "subj" if last in deed.subject.split() else "obj"))
        for deed in story.deeds
        if not deed.negated and last in (*deed.subject.split(), *deed.object.split())
    ]
    for (before, one), (after, two) in pairwise(chain):
        if after - before == 1 and one != two:
            yield before, after, one, two
