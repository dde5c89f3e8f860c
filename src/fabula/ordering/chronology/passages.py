"""Passages: sentences of one document that are read together, so that they are moved together.

"He was operated on yesterday" says nothing without the sentence before it, and "four minutes later"
is counted from there. Such a sentence stays behind the one it leans on, unless it tells a time
before that one's. So does one that goes on telling in the past after a time in its paragraph, and
one that goes on with a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.sentence_times import SentenceTime, StorySentence
from fabula.ordering.chronology.story_time import StoryTime
from fabula.text.temporal.event_time import TOLD_WITH
from fabula.text.temporal.interval import interval_of

__all__ = ["contracted", "expanded", "find_passages", "with_passage_days"]

Passages = list[list[int]]
_TOLD = ("told", "relative")
_APART = 60  # minutes
_LONGEST_QUOTATION = 8  # sentences
_MARKS = re.compile('[\u201c\u201d"]')
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def find_passages(
    sentences: Sequence[StorySentence], read: Sequence[SentenceTime], placed: Sequence[StoryTime]
) -> Passages:
    """The sentences as runs that stay together, each in the order of its document.

    Neighbours in the text have neighbouring positions; a sentence whose neighbour is part of
    another story leans on nothing.
    """
    at: dict[tuple[str | None, int], int] = {
        (sentence.document, sentence.position): index
        for index, sentence in enumerate(sentences)
        if sentence.document is not None and sentence.sequence is None
    }
    quoted = _inside_quotations(sentences, at)
    passage_of: dict[int, list[int]] = {}
    for index in sorted(range(len(sentences)), key=lambda i: (sentences[i].position, i)):
        sentence = sentences[index]
        before = at.get((sentence.document, sentence.position - 1))
        own = at.get((sentence.document, sentence.position)) == index
        if (
            own
            and before is not None
            and (
                index in quoted
                or _leans(read[index], placed[index], placed[before])
                or (
                    sentence.paragraph is not None
                    and sentence.paragraph == sentences[before].paragraph
                    and any(placed[i].source in _TOLD for i in passage_of[before])
                    and _goes_on(read[index], placed[index])
                )
            )
        ):
            passage_of[before].append(index)
            passage_of[index] = passage_of[before]
        else:
            passage_of[index] = [index]
    return [members for index, members in sorted(passage_of.items()) if members[0] == index]


def _inside_quotations(
    sentences: Sequence[StorySentence], at: Mapping[tuple[str | None, int], int]
) -> set[int]:
    """Sentences that begin inside a quotation which an earlier one opened and a later one closes.

    Marks of direction are counted; a straight one opens and closes in turn. What is not closed
    within a few sentences of the document is no quotation.
    """
    inside: set[int] = set()
    run: list[int] = []
    last: tuple[str | None, int] | None = None
    for place in sorted(at, key=lambda key: (key[0] or "", key[1])):
        if last is None or place != (last[0], last[1] + 1) or len(run) > _LONGEST_QUOTATION:
            run = []
        last = place
        index = at[place]
        is_open = bool(run)
        if is_open:
            run.append(index)
        for mark in _MARKS.findall(sentences[index].text):
            was_open, is_open = is_open, mark == "\u201c" or (mark == '"' and not is_open)
            if was_open and not is_open:
                inside.update(run[1:])
                run = []
            elif is_open and not was_open:
                run = [index]
    return inside


def _leans(time: SentenceTime, own: StoryTime, before: StoryTime) -> bool:
    """Past events follow; other tenses ("It is the oldest in town") only what tells no time."""
    if not time.refers_back:
        return False
    if own.source in _TOLD and (_is_earlier(time, own, before) or _is_apart(own, before)):
        return False
    return before.source not in _TOLD or time.event.form in ("past", "")


def _goes_on(time: SentenceTime, own: StoryTime) -> bool:
    """Whether a sentence tells what happened next: in the past, without a time of its own."""
    narrates = time.event.form == "past" and not time.event.speech and not time.earlier
    return narrates and own.source not in _TOLD


def _is_earlier(time: SentenceTime, own: StoryTime, before: StoryTime) -> bool:
    if time.event.form == "pluperfect":
        return True
    if own.interval is None or before.interval is None or before.source == "document":
        return False
    return own.interval.before(before.interval)


def _is_apart(own: StoryTime, before: StoryTime) -> bool:
    """Whether both tell their hour, and so much lies between that other events may."""
    if own.interval is None or before.interval is None or before.source not in _TOLD:
        return False
    if {own.interval.level, before.interval.level} != {"minute"}:
        return False
    return own.interval.earliest - before.interval.latest > _APART


def with_passage_days(
    passages: Passages, read: Sequence[SentenceTime], placed: Sequence[StoryTime]
) -> list[StoryTime]:
    """The times, where a past event without one is of the day its passage tells."""
    result = list(placed)
    for members in passages:
        day = StoryTime()
        for i in members:
            own = result[i]
            if own.source in _TOLD and own.interval is not None and _DAY.match(own.value):
                if read[i].event.form == "pluperfect":
                    continue  # "had been reported on Tuesday": what is told next came later
                value = own.value[:10]
                day = StoryTime(value, interval_of(value), "guess", TOLD_WITH)
            elif day.value and own.source not in _TOLD and _goes_on(read[i], own):
                result[i] = day
    return result


def contracted(
    passages: Sequence[list[int]],
    odds: NDArray[np.float64],
    must: NDArray[np.bool_],
    placed: Sequence[StoryTime],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Log-odds summed over passages, and which passage must come before which.

    The first sentence with a told time decides for its passage, else the first.
    """
    deciding = [
        next((i for i in members if placed[i].source in _TOLD), members[0]) for members in passages
    ]
    members = [i for passage in passages for i in passage]
    starts = np.cumsum([0, *map(len, passages[:-1])])
    rows = np.add.reduceat(odds[np.ix_(members, members)], starts, axis=0)
    summed = np.asarray(np.add.reduceat(rows, starts, axis=1), dtype=np.float64)
    np.fill_diagonal(summed, 0.0)
    return summed, must[np.ix_(deciding, deciding)]


def expanded(order: Sequence[int], passages: Sequence[list[int]]) -> tuple[int, ...]:
    """An order of passages as one of sentences."""
    return tuple(index for passage in order for index in passages[passage])
