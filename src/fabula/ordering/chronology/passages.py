"""Passages: sentences of one document that are read together, so that they are moved together.

"He was operated on yesterday" says nothing without the sentence before it, and "four minutes later"
is counted from there. Such a sentence stays behind the one it leans on, unless it tells a time
before that one's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.sentence_times import SentenceTime, StorySentence
from fabula.ordering.chronology.story_time import StoryTime

__all__ = ["contracted", "expanded", "find_passages"]

Passages = list[list[int]]
_TOLD = ("told", "relative")


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
    passage_of: dict[int, list[int]] = {}
    for index in sorted(range(len(sentences)), key=lambda i: (sentences[i].position, i)):
        sentence = sentences[index]
        before = at.get((sentence.document, sentence.position - 1))
        own = at.get((sentence.document, sentence.position)) == index
        if own and before is not None and _leans(read[index], placed[index], placed[before]):
            passage_of[before].append(index)
            passage_of[index] = passage_of[before]
        else:
            passage_of[index] = [index]
    return [members for index, members in sorted(passage_of.items()) if members[0] == index]


def _leans(time: SentenceTime, own: StoryTime, before: StoryTime) -> bool:
    """Past events follow; other tenses ("It is the oldest in town") only what tells no time."""
    if not time.refers_back or (own.source in _TOLD and _is_earlier(time, own, before)):
        return False
    return before.source not in _TOLD or time.event.form in ("past", "")


def _is_earlier(time: SentenceTime, own: StoryTime, before: StoryTime) -> bool:
    if time.event.form == "pluperfect":
        return True
    if own.interval is None or before.interval is None or before.source == "document":
        return False
    return own.interval.before(before.interval)


def contracted(
    passages: Passages,
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
    summed = np.array(
        [[odds[np.ix_(one, two)].sum() for two in passages] for one in passages], dtype=np.float64
    )
    np.fill_diagonal(summed, 0.0)
    return summed, must[np.ix_(deciding, deciding)]


def expanded(order: Sequence[int], passages: Passages) -> tuple[int, ...]:
    """An order of passages as one of sentences."""
    return tuple(index for passage in order for index in passages[passage])
