"""Discourse cues: the sentences of a story in, for each how much of which cue it shows.

A cue is positive where a sentence should stand earlier for it. Tense and aspect of the main verb;
what a statement is about; words ("previously", "ongoing"); and times that do not date the main
event, but say how far back the text has gone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.sentence_times import SentenceTime, StorySentence
from fabula.ordering.chronology.story_calendar import WHEN_SENT
from fabula.ordering.chronology.story_time import StoryTime
from fabula.text.temporal.interval import Interval, interval_of
from fabula.text.temporal.lexicon import DAY

__all__ = ["CUES", "cues_of"]

CUES = (
    "pluperfect",
    "future",
    "conditional",  # beside future: "would", "could", "might"
    "present",
    "headline",  # beside present: "Waitrose in Wellington catches fire"
    "perfect",
    "statement of the future",
    "statement of the present",
    "statement of the perfect",
    "statement of the pluperfect",
    "earlier",
    "later",
    "ongoing",
    "speech",
    "coarse time",  # told by the month or more coarsely: background
    "another time",  # of another event of the sentence, by its distance from the day of publication
    "background",  # goes on after a time long past, by that distance
)
_COARSE = ("month", "season", "year", "decade", "century")
_PAST = ("past", "pluperfect", "")
_CONDITIONAL = re.compile(r"\b(?:would|could|might|may)\b")
_ONGOING = re.compile(
    r"\b(?:investigat\w*|ongoing|continu\w*|under way|underway|expected)\b", re.IGNORECASE
)
_LONG_AGO = 20  # days before publication from which on a told time is background
_TOLD = ("told", "relative")


def cues_of(
    sentences: Sequence[StorySentence], times: Sequence[SentenceTime], placed: Sequence[StoryTime]
) -> NDArray[np.float64]:
    """n x cues. The tense of a message is that of the minute it was sent, which is known."""
    found = np.array([_own(*each) for each in zip(sentences, times, placed, strict=True)])
    found = found.reshape(len(sentences), len(CUES))
    found[:, CUES.index("background")] = _background(sentences, times, placed)
    found[[time.why == WHEN_SENT for time in placed]] = 0.0
    return found


def _own(sentence: StorySentence, time: SentenceTime, placed: StoryTime) -> list[float]:
    form = time.event.form
    interval = time.interval
    coarse = time.is_told and interval is not None and interval.level in _COARSE
    is_future = form in ("future", "infinitive")
    statement = time.states
    headline = sentence.date is not None and sentence.position == 0
    return [
        float(form == "pluperfect"),
        -float(is_future),
        float(is_future and bool(_CONDITIONAL.search(sentence.text))),
        -float(form == "present"),
        float(headline and (form == "present" or form == "infinitive")),
        -float(form == "perfect"),
        float(statement and is_future),
        float(statement and form == "present"),
        float(statement and form == "perfect"),
        float(statement and form == "pluperfect"),
        float(time.earlier),
        -float(time.later),
        -float(bool(_ONGOING.search(sentence.text))),
        -float(time.event.speech),
        float(coarse),
        _another_time(sentence, time, placed),
        0.0,
    ]


def _another_time(sentence: StorySentence, time: SentenceTime, placed: StoryTime) -> float:
    """How far back the times reach that a sentence tells of other events than its main one."""
    published = interval_of(sentence.date) if sentence.date else None
    if published is None or placed.source in _TOLD:
        return 0.0
    values = [
        timex.value
        for timex in time.times
        if timex.type in ("DATE", "TIME") and timex.role != "published"
    ]
    told = [interval_of(value) for value in values if value[:1].isdigit()]
    farthest = max((_long_before(interval, published) for interval in told), default=0.0)
    own = _long_before(placed.interval, published)
    return farthest if farthest != own else 0.0


def _background(
    sentences: Sequence[StorySentence], times: Sequence[SentenceTime], placed: Sequence[StoryTime]
) -> list[float]:
    """How far back the time lies after which a sentence goes on in the past, without a time of its
    own: "He pleaded guilty in 1997. The trial took a month." A statement ends such a run."""
    found = [0.0] * len(sentences)
    distance: dict[str, float] = {}
    for i in sorted(range(len(sentences)), key=lambda i: (sentences[i].position, i)):
        document, date = sentences[i].document, sentences[i].date
        published = interval_of(date) if date else None
        if document is None or published is None:
            continue
        if placed[i].source in _TOLD:
            far = _long_before(placed[i].interval, published)
            distance[document] = far if far > _scale(_LONG_AGO) else 0.0
        elif times[i].event.form in _PAST and not times[i].says:
            found[i] = distance.get(document, 0.0)
        else:
            distance[document] = 0.0
    return found


def _long_before(interval: Interval | None, published: Interval) -> float:
    if interval is None or interval.frame != published.frame:
        return 0.0
    if interval.before(published):
        return _scale((published.earliest - interval.latest) / DAY)
    if published.before(interval):
        return -_scale((interval.earliest - published.latest) / DAY)
    return 0.0


def _scale(days: float) -> float:
    return 0.3 + math.log10(1.0 + days)
