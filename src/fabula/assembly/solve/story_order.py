"""The order within a story: the model's, with times told and given, and a person's wishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.assembly.pile import Piece
from fabula.assembly.solve.story_assignment import Solved
from fabula.ordering import order
from fabula.ordering.chronology.temporal_order import reordered

__all__ = ["arrange"]

WHOLE = 150  # sentences of a story that the best model orders in one go
LONGEST = 600  # above which a story is kept in the order given


def arrange(
    members: Sequence[int],
    pieces: Sequence[Piece],
    solved: Solved,
    model: Any,
    hours: Sequence[int | None] | None = None,
) -> tuple[list[int], float, str]:
    """The members of one story in order, how sure, and a remark where there is one.

    Messages with a time stand in the order of their times, sentences of one message as written.
    ``hours`` are the clock times of the whole pile, where they are of one stretch.
    """
    texts = [pieces[i].sentence.text for i in members]
    found, sure, remark = _by_model(texts, model, hours and [hours[i] for i in members])
    ordered = [members[place] for place in found]
    timed = sorted((i for i in ordered if pieces[i].time), key=lambda i: (str(pieces[i].time), i))
    if timed:
        queue = iter(timed)
        ordered = [next(queue) if pieces[i].time else i for i in ordered]
        sure = max(sure, len(timed) / len(ordered))
    for index, after in solved.after:
        if index in ordered and (after is None or after in ordered):
            ordered.remove(index)
            ordered.insert(0 if after is None else ordered.index(after) + 1, index)
    for index, position in solved.positions:
        if index in ordered:
            ordered.remove(index)
            ordered.insert(position - 1, index)
    return ordered, sure, remark


def _by_model(
    texts: Sequence[str], model: Any, hours: Sequence[int | None] | None
) -> tuple[Sequence[int], float, str]:
    if len(texts) > LONGEST:
        return range(len(texts)), 0.5, "too long to be put in order; kept as given"
    if len(texts) > WHOLE and model == "best":
        model = "linear"  # looks at each pair by itself, so that length costs little
    found = order(texts, model=model)
    told, sure = reordered(found.before, texts, hours)
    return (told, sure, "") if told else (found.order, found.confidence, "")
