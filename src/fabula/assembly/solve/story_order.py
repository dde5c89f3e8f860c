"""Story order: a story's sentences in, their order out, by model, times and corrections."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fabula.assembly.pile import Piece
from fabula.assembly.solve.story_assignment import StoryAssignment
from fabula.ordering.chronology.find_order import WITH_TIMES, find_order, sort_timestamps

__all__ = ["order_story"]

_log = logging.getLogger("fabula.assembly")


def order_story(
    members: Sequence[int],
    pieces: Sequence[Piece],
    assignment: StoryAssignment,
    model: Any,
    hours: Sequence[int | None] | None = None,
) -> tuple[list[int], float, str]:
    """The members of one story in order, the mean pair probability, and a remark or "".

    ``find_order`` with times in the text, then messages sorted by timestamp, then the moves of the
    corrections. ``hours`` are those of the whole pile (``temporal_order.hours_of``).
    """
    order: Sequence[int]
    if len(members) > WITH_TIMES.longest:
        _log.info("a story of %d sentences is kept in the order given", len(members))
        order, confidence = range(len(members)), 0.5
        remark = "too long to be put in order; kept as given"
    else:
        found_order = find_order(
            [pieces[i].sentence.text for i in members],
            model,
            policy=WITH_TIMES,
            pile_hours=hours and [hours[i] for i in members],
        )
        order, confidence, remark = found_order.order, found_order.confidence, ""
    timestamps = [pieces[i].time for i in members]
    if any(timestamps):
        order = sort_timestamps(order, timestamps)
        confidence = max(confidence, sum(map(bool, timestamps)) / len(timestamps))
    ordered = [members[unit] for unit in order]
    for index, after in assignment.after:
        if index in ordered and (after is None or after in ordered):
            ordered.remove(index)
            ordered.insert(0 if after is None else ordered.index(after) + 1, index)
    for index, position in assignment.positions:
        if index in ordered:
            ordered.remove(index)
            ordered.insert(position - 1, index)
    return ordered, confidence, remark
