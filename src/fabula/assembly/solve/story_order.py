"""Story order: a story's sentences in, the order of happening and their times out."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any

from fabula.assembly.pile import Piece
from fabula.assembly.solve.chat_order import chat_places, keep_messages_whole
from fabula.assembly.solve.story_assignment import StoryAssignment
from fabula.ordering.chronology.sentence_times import StorySentence
from fabula.ordering.chronology.solver import Chronology, find_chronology
from fabula.ordering.chronology.story_time import StoryTime
from fabula.text.parse.parsed import Parsed

__all__ = [
    "OrderedStory",
    "order_story",
    "place_by_date",
    "story_sentences",
    "unordered_positions",
]

_log = logging.getLogger("fabula.assembly")
_LONGEST = 600  # sentences above which no order is sought
_MIXED = 0.1  # changes of story, a share of a document's sentences, above which it is a mixture


@dataclass(frozen=True, slots=True)
class OrderedStory:
    """The members of a story in order, the mean pair probability, a remark or "", the times.

    ``unknown`` are groups of members whose order among themselves is unknown.
    """

    order: list[int]
    confidence: float
    remark: str = ""
    times: Mapping[int, StoryTime] = field(default_factory=dict)
    unknown: tuple[tuple[int, ...], ...] = ()


def order_story(
    members: Sequence[int],
    pieces: Sequence[Piece],
    assignment: StoryAssignment,
    model: Any,
    sentences: Sequence[StorySentence],
    given: Mapping[int, StoryTime] | None = None,
) -> OrderedStory:
    """The members of one story in the order in which things happened (``find_chronology``).

    ``sentences`` are those of the whole pile (``story_sentences``). ``given`` are the times that
    the user set: such a sentence goes where it agrees with the dates of the others. The
    corrections' moves come last.
    """
    given = given or {}
    sequences = {sentences[i].sequence for i in members}
    if len(members) > _LONGEST and len(sequences) == 1 and None not in sequences:
        ordered = sorted(members, key=lambda i: sentences[i].position)
        times = {i: StoryTime() for i in members} | dict(given)
        return OrderedStory(_moved(ordered, assignment), 1.0, times=times)
    if len(members) > _LONGEST:
        _log.info("a story of %d sentences is kept in the order given", len(members))
        remark = "too long to be put in order; kept as given"
        return OrderedStory(_moved(list(members), assignment), 0.5, remark, given)
    found = find_chronology([sentences[i] for i in members], model)
    ordered = keep_messages_whole((members[unit] for unit in found.order), pieces)
    times = {members[unit]: time for unit, time in enumerate(found.times)} | dict(given)
    # A message stays where it was sent, whatever time it tells of.
    dated = [i for i in ordered if i in given and pieces[i].message is None]
    return OrderedStory(
        order=_moved(place_by_date(ordered, dated, times), assignment),
        confidence=_confidence(found, [pieces[i].time for i in members]),
        times=times,
        unknown=tuple(
            tuple(members[found.order[place]] for place in range(first, last))
            for first, last in found.unknown
        ),
    )


def place_by_date(
    ordered: Sequence[int], dated: Iterable[int], times: Mapping[int, StoryTime]
) -> list[int]:
    """The order, with each of the dated sentences where the fewest others contradict its time.

    Of equal places the one nearest to where it stood is taken.
    """
    order = list(ordered)
    for index in dated:
        own = times[index].interval
        if own is None:
            continue
        stood = order.index(index)
        order.pop(stood)
        others = [times[i].interval if i in times else None for i in order]
        # Behind each place: those that ended before this began; before it: those that begin later.
        wrong = sum(other is not None and other.before(own) for other in others)
        best, fewest = 0, (wrong, stood)
        for place, other in enumerate(others, 1):
            if other is not None:
                wrong += own.before(other) - other.before(own)
            if (wrong, abs(place - stood)) < fewest:
                best, fewest = place, (wrong, abs(place - stood))
        order.insert(best, index)
    return order


def unordered_positions(
    ordered: Sequence[int], unknown: Iterable[Sequence[int]]
) -> dict[int, tuple[int, ...]]:
    """Members in order and groups of unknown order in; by member the positions of its group out.

    >>> unordered_positions([7, 4, 9], [(4, 9)])
    {4: (3,), 9: (2,)}
    """
    position = {index: number for number, index in enumerate(ordered, 1)}
    return {
        index: tuple(sorted(position[other] for other in group if other != index))
        for group in unknown
        for index in group
    }


def story_sentences(
    pieces: Sequence[Piece],
    labels: Sequence[int],
    date: str | None = None,
    parses: Sequence[Parsed | None] = (),
) -> list[StorySentence]:
    """Every piece as the solver reads it, with its document where that has an order.

    ``date`` anchors documents that have no date of their own.

    A file in which stories alternate is a mixture: the order of its sentences says nothing. Chat
    messages stay in the order sent.
    """
    chats = chat_places(pieces)
    documents: dict[str, list[int]] = {}
    for index, piece in enumerate(pieces):
        documents.setdefault(_document(piece), []).append(index)
    ordered = {
        name
        for name, members in documents.items()
        if len(members) > 1 and not _is_mixture(members, labels)
    }
    return [
        StorySentence(
            text=piece.sentence.text,
            document=name if (name := _document(piece)) in ordered else None,
            position=chats[index].position if index in chats else index,
            date=piece.date or date,
            timestamp=piece.time,
            entry=piece.entry,
            mail=(piece.thread, piece.mailed) if piece.thread and piece.mailed else None,
            sequence=chats[index].sequence if index in chats else None,
            paragraph=piece.sentence.paragraph,
            parsed=parsed,
        )
        for index, (piece, parsed) in enumerate(zip_longest(pieces, parses))
    ]


def _document(piece: Piece) -> str:
    if piece.message is not None:
        return f"message {piece.message}"
    return f"{piece.document} {piece.entry}" if piece.entry else str(piece.document)


def _is_mixture(members: Sequence[int], labels: Sequence[int]) -> bool:
    told = [labels[i] for i in members]
    changes = sum(a != b for a, b in pairwise(told))
    return changes > len(set(told)) - 1 + _MIXED * len(told)


def _confidence(found: Chronology, timestamps: Sequence[str | None]) -> float:
    share = sum(map(bool, timestamps)) / len(timestamps) if timestamps else 0.0
    return max(found.confidence, share)


def _moved(ordered: list[int], assignment: StoryAssignment) -> list[int]:
    """The order with the moves of the corrections."""
    for index, after in assignment.after:
        if index in ordered and (after is None or after in ordered):
            ordered.remove(index)
            ordered.insert(0 if after is None else ordered.index(after) + 1, index)
    for index, position in assignment.positions:
        if index in ordered:
            ordered.remove(index)
            ordered.insert(position - 1, index)
    return ordered
