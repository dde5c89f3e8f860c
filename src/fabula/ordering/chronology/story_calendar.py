"""The times of one story's sentences in, the same with what the story itself decides out.

Three things a sentence alone leaves open: how far from another event ("four minutes after the
alarm"), with which weekday a story begins, and the day and half of the day of a clock time. Hours
are never taken from another story. What stays open is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.clock_days import place_clock_times
from fabula.ordering.chronology.sentence_times import SentenceTime
from fabula.ordering.chronology.story_time import StoryTime, value_at
from fabula.text.temporal.interval import Interval, interval_of
from fabula.text.temporal.lexicon import DAY

__all__ = ["LAST_SPOKEN_OF", "WHEN_SENT", "place_times"]

LAST_SPOKEN_OF = "the day the text last spoke of"
WHEN_SENT = "when the message was sent"

_GUESSED = {
    "": "",
    "text": "the hour is told, the day is the one last spoken of",
    "document": "the hour is told, the day is the document's",
    "night": "of the night last spoken of",
    "year": "the year, or the month, is the one last spoken of",
}
_UNIT_MINUTES = {"D": DAY, "W": 7 * DAY, "M": 30 * DAY, "Y": 365 * DAY, "TH": 60, "TM": 1, "TS": 0}
_WEEKDAY = re.compile(r"XXXX-WXX-(\d)")
_AGAINST = 0.25  # days that a unit of log-odds of a pair is worth
_LENGTH = re.compile(r"P(T?)(\d+)([DWMYHS])$")


def place_times(
    times: Sequence[SentenceTime],
    log_odds: NDArray[np.floating],
    sent: Sequence[str | None] = (),
) -> list[StoryTime]:
    """The times of a story; ``log_odds`` are those of sentence i before j, without any times.

    ``sent`` are the timestamps of messages: a message is of the minute it was sent, whatever it
    speaks of ("who brings the cake on Saturday?").
    """
    placed = [_first_reading(time) for time in times]
    for i, timestamp in enumerate(sent):
        if timestamp and "T" in timestamp:
            value = timestamp[:16]
            placed[i] = StoryTime(value, interval_of(value), "told", WHEN_SENT)
    placed = _with_first_weekday(placed, times, log_odds)
    placed = place_clock_times(placed, log_odds)
    return _with_distances(placed, times, log_odds)


def _first_reading(time: SentenceTime) -> StoryTime:
    event = time.event
    timex = event.timex
    known = timex is None or timex.half_known
    why = {
        "relative": f"told from another time: {timex.text!r}" if timex else "",
        "guess": LAST_SPOKEN_OF if timex is None else _GUESSED[timex.day_from],
        "document": "the document's date",
    }.get(event.source, "")
    why = event.why or why
    planned = timex is not None and (
        event.ahead or timex.role == "plan" or event.form in ("future", "infinitive")
    )
    if planned:
        why = "planned; whether it happened is not told"
    about = timex is not None and timex.mod == "APPROX"
    return StoryTime(event.value, time.interval, event.source, why, known, about, planned)


def _with_first_weekday(
    placed: list[StoryTime], times: Sequence[SentenceTime], log_odds: NDArray[np.floating]
) -> list[StoryTime]:
    """Weekdays without a date, counted from the day that makes the story short and agrees with the
    order the other evidence wants; days on which something was only said count for its length."""
    days = {
        i: time.interval.earliest // DAY
        for i, time in enumerate(placed)
        if time.interval is not None and time.interval.frame == "week"
    }
    if not days:
        return placed

    said = {int(m[1]) - 1 for time in times if (m := _WEEKDAY.match(time.event.not_after))}

    def cost(first: int) -> float:
        offsets = {i: (day - first) % 7 for i, day in days.items()}
        against = sum(
            float(np.clip(log_odds[i, j], -2, 2)) * np.sign(offsets[i] - offsets[j])
            for i in days
            for j in days
        )
        length = max((day - first) % 7 for day in said | set(days.values()))
        return length + _AGAINST * float(against)

    first = min(sorted(set(days.values())), key=cost)
    for i, day in days.items():
        shift = ((day - first) % 7 + first - day) * DAY
        interval = placed[i].interval
        if shift and interval is not None:
            moved = replace(
                interval, earliest=interval.earliest + shift, latest=interval.latest + shift
            )
            placed[i] = replace(placed[i], interval=moved)
    return placed


def _with_distances(
    placed: list[StoryTime], times: Sequence[SentenceTime], log_odds: NDArray[np.floating]
) -> list[StoryTime]:
    """Times told from an event of the story: "a week after the collapse".

    Where the sentence found for that event lacks some of its words, the time is a guess.
    """
    result = list(placed)
    for i, time in enumerate(times):
        for value, relation, stems in time.anchors:
            if result[i].source == "told" and result[i].interval is not None:
                break
            match = _LENGTH.match(value)
            anchor = _anchor(i, relation, stems, times, result, log_odds)
            if match is None or anchor is None or (base := result[anchor].interval) is None:
                continue
            unit = ("T" if match[1] else "") + match[3]
            minutes = int(match[2]) * _UNIT_MINUTES[unit]
            minutes = -minutes if relation == "before" else minutes
            level = "minute" if base.level == "minute" and unit.startswith("T") else base.level
            if unit.startswith("T") and base.level != "minute":
                continue
            moved = Interval(base.earliest + minutes, base.latest + minutes, level, base.frame)
            if not unit.startswith("T") and level in ("minute", "part of day"):
                moved = _day_of(moved)  # "two days before", at whatever hour
            sure = result[anchor].source in ("told", "relative") and stems <= times[anchor].stems
            source = "relative" if sure else "guess"
            why = f"counted from another sentence ({result[anchor].why or 'told there'})"
            result[i] = StoryTime(
                value_at(moved), moved, source, why, result[anchor].half_known, result[anchor].about
            )
    return result


def _day_of(interval: Interval) -> Interval:
    day = interval.earliest // DAY * DAY
    return Interval(day, day + DAY - 1, "day", interval.frame)


def _anchor(
    sentence: int,
    relation: str,
    stems: frozenset[str],
    times: Sequence[SentenceTime],
    placed: Sequence[StoryTime],
    log_odds: NDArray[np.floating],
) -> int | None:
    """The timed sentence that speaks of most of an event's words.

    Of equals, one that is told before this sentence for "after", then the earliest.
    """
    shared = {
        j: len(stems & other.stems)
        for j, other in enumerate(times)
        if j != sentence and placed[j].interval is not None and stems & other.stems
    }
    if not shared:
        return None
    most = max(shared.values())

    def start(j: int) -> int:
        interval = placed[j].interval
        return interval.earliest if interval is not None else 0

    def misplaced(j: int) -> bool:
        return bool(log_odds[j, sentence] < 0) == (relation == "after")

    return min(
        (j for j in shared if shared[j] == most),
        key=lambda j: (placed[j].source != "told", misplaced(j), start(j), j),
    )
