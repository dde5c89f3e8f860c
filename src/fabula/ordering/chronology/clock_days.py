"""Clock times without a day or half of the day in, those of the story's other times out.

Each open time is tried on every day and half the story allows. A place scores by its nearness to
the told times (the log of summed 1 / (1 + hours)) and by whether it keeps the order the other
evidence wants. The clearest one is placed first and then helps to place the rest; what no place
fits clearly better than the others stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.story_time import StoryTime, value_at
from fabula.text.temporal.interval import Interval
from fabula.text.temporal.lexicon import DAY, HALF_DAY

__all__ = ["place_clock_times"]

_NEARNESS = 2.0  # weight of the log of nearness
_ORDER = 0.25  # weight of the log-odds of order, each clipped to 2
_CLEAR = 1.5  # log-odds by which a place must be better than the next, or the time stays open
_MOST_DAYS = 30  # days of told times above which no day is sought


class _Place(NamedTuple):
    """The best place of an open time, and by how much it is better than the next."""

    margin: float
    sentence: int
    interval: Interval


def place_clock_times(
    placed: Sequence[StoryTime], log_odds: NDArray[np.floating]
) -> list[StoryTime]:
    """The times of a story; ``log_odds`` are those of sentence i before j, without any times."""
    result = list(placed)
    told = {i: time.interval for i, time in enumerate(placed) if _is_fixed(time)}
    frames = [interval.frame for interval in told.values() if interval is not None]
    if not frames:
        return result
    frame = max(sorted(set(frames)), key=frames.count)
    fixed = {i: v for i, v in told.items() if v is not None and v.frame == frame}
    while True:
        best = max(
            (
                _best(i, time, frame, fixed, log_odds)
                for i, time in enumerate(result)
                if i not in fixed and time.interval is not None
            ),
            key=lambda place: place.margin if place is not None else -1.0,
            default=None,
        )
        if best is None or best.margin < _CLEAR:
            return result
        time = result[best.sentence]
        why = "the day" if time.half_known else "morning or evening"
        result[best.sentence] = replace(
            time,
            value=value_at(best.interval),
            interval=best.interval,
            source="guess",
            why=f"{why} fits the story's other times",
            half_known=True,
        )
        fixed[best.sentence] = best.interval


def _is_fixed(time: StoryTime) -> bool:
    interval = time.interval
    if interval is None or interval.frame == "day" or not time.half_known:
        return False
    return interval.level in ("minute", "part of day", "day") and time.source in (
        "told",
        "relative",
    )


def _best(
    sentence: int,
    time: StoryTime,
    frame: str,
    fixed: dict[int, Interval],
    log_odds: NDArray[np.floating],
) -> _Place | None:
    interval = time.interval
    if interval is None or interval.level not in ("minute", "part of day"):
        return None
    if interval.frame == "day":
        days = _days(fixed)
    elif interval.frame == frame and not time.half_known:
        days = [interval.earliest // DAY * DAY]
    else:
        return None
    clock = interval.earliest if interval.frame == "day" else interval.earliest % DAY
    length = interval.latest - interval.earliest if time.half_known else 0
    halves = [clock] if time.half_known else [clock % HALF_DAY, clock % HALF_DAY + HALF_DAY]
    scores: dict[int, float] = {}
    for day in days:
        for half in halves:
            at = Interval(day + half, day + half + length, interval.level, frame)
            scores[at.earliest] = _score(sentence, at, fixed, log_odds)
    if not scores:
        return None
    first, *rest = sorted(scores, key=lambda start: (-scores[start], start))
    margin = scores[first] - scores[rest[0]] if rest else 2 * _CLEAR
    return _Place(margin, sentence, Interval(first, first + length, interval.level, frame))


def _days(fixed: dict[int, Interval]) -> list[int]:
    """The days of told times and those that follow them; none where the story spans too many."""
    days = {interval.earliest // DAY for interval in fixed.values()}
    days |= {day + 1 for day in days}
    return [day * DAY for day in sorted(days)] if len(days) <= _MOST_DAYS else []


def _score(
    sentence: int, at: Interval, fixed: dict[int, Interval], log_odds: NDArray[np.floating]
) -> float:
    near = sum(_nearness(at.earliest, told) for told in fixed.values())
    score = _NEARNESS * float(np.log(near))
    for other, told in fixed.items():
        sign = int(at.before(told)) - int(told.before(at))
        score += _ORDER * float(np.clip(log_odds[sentence, other], -2, 2)) * sign
    return score


def _nearness(minute: int, told: Interval) -> float:
    """The mean of 1 / (1 + hours) over a told interval: a whole day says less than a minute."""
    start, end = (minute - told.earliest) / 60, (minute - told.latest) / 60
    if end == start:
        return 1 / (1 + abs(start))
    if start >= 0 >= end:
        return float((np.log1p(start) + np.log1p(-end)) / (start - end))
    near, far = sorted((abs(start), abs(end)))
    return float((np.log1p(far) - np.log1p(near)) / (far - near))
