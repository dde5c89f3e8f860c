"""The times of one story's sentences in, the same with what the story itself decides out.

Three things a sentence alone leaves open: how far from another event ("four minutes after the
alarm"), with which weekday a story begins, and the day and half of the day of a clock time. Hours
are never taken from another story. What stays open is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.sentence_times import SentenceTime
from fabula.text.temporal.interval import Interval
from fabula.text.temporal.lexicon import DAY, HALF_DAY

__all__ = ["StoryTime", "place_times", "value_at"]

_UNIT_MINUTES = {"D": DAY, "W": 7 * DAY, "M": 30 * DAY, "Y": 365 * DAY, "TH": 60, "TM": 1, "TS": 0}
_LENGTH = re.compile(r"P(T?)(\d+)([DWMYHS])$")
_SAME_DAY = 0.5  # log-odds a share of the story's told times gives its own day
_FAR = 0.6  # log-odds against each e-fold of hours to the nearest told time
_CLEAR = 2.0  # log-odds by which a day must be likelier than the next, or it is left open
_STAND_IN = 2000


@dataclass(frozen=True, slots=True)
class StoryTime:
    """When a sentence's event happened: TIMEX3 ``value``, ``interval``, ``source`` and why.

    ``source`` is told, relative, document or guess; empty, as the value, where nothing is known.
    """

    value: str = ""
    interval: Interval | None = None
    source: str = ""
    why: str = ""
    half_known: bool = True
    about: bool = False


def place_times(times: Sequence[SentenceTime], log_odds: NDArray[np.floating]) -> list[StoryTime]:
    """The times of a story; ``log_odds`` are those of sentence i before j, without any times."""
    placed = [_first_reading(time) for time in times]
    placed = _with_first_weekday(placed, log_odds)
    placed = _with_days(placed, log_odds)
    return _with_distances(placed, times)


def _first_reading(time: SentenceTime) -> StoryTime:
    event = time.event
    timex = event.timex
    known = timex is None or timex.half_known
    why = {
        "relative": f"told from another time: {timex.text!r}" if timex else "",
        "guess": "the day the text last spoke of",
        "document": "the document's date",
    }.get(event.source, "")
    about = timex is not None and timex.mod == "APPROX"
    return StoryTime(event.value, time.interval, event.source, why, known, about)


def _with_first_weekday(placed: list[StoryTime], log_odds: NDArray[np.floating]) -> list[StoryTime]:
    """Weekdays without a date, counted from the day that makes the story shortest."""
    days = {
        i: time.interval.earliest // DAY
        for i, time in enumerate(placed)
        if time.interval is not None and time.interval.frame == "week"
    }
    if not days:
        return placed

    def cost(first: int) -> tuple[int, float]:
        offsets = {i: (day - first) % 7 for i, day in days.items()}
        against = sum(
            float(log_odds[i, j]) * np.sign(offsets[i] - offsets[j]) for i in days for j in days
        )
        return max(offsets.values()), against

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


def _with_days(placed: list[StoryTime], log_odds: NDArray[np.floating]) -> list[StoryTime]:
    """Clock times of an unknown day or half of the day, where the story makes one clear."""
    known = {i: t.interval for i, t in enumerate(placed) if _is_fixed(t)}
    if not known:
        return placed
    frames = [interval.frame for interval in known.values() if interval is not None]
    frame = max(sorted(set(frames)), key=frames.count)
    fixed = {i: v for i, v in known.items() if v is not None and v.frame == frame}
    days = sorted({interval.earliest // DAY for interval in fixed.values()})
    if not days or days[-1] - days[0] > 7:
        return placed
    result = list(placed)
    for i, time in enumerate(placed):
        interval = time.interval
        if interval is None or i in fixed:
            continue
        if interval.frame == "day":
            choices = [day * DAY for day in range(days[0], days[-1] + 1)]
        elif interval.frame == frame and not time.half_known:
            choices = [interval.earliest // DAY * DAY]
        else:
            continue
        result[i] = _choose(time, i, frame, choices, fixed, log_odds)
    return result


def _is_fixed(time: StoryTime) -> bool:
    interval = time.interval
    if interval is None or interval.frame == "day" or not time.half_known:
        return False
    return interval.level in ("minute", "part of day", "day") and time.source in (
        "told",
        "relative",
    )


def _choose(
    time: StoryTime,
    sentence: int,
    frame: str,
    days: Sequence[int],
    fixed: dict[int, Interval],
    log_odds: NDArray[np.floating],
) -> StoryTime:
    """The day and half of a clock time that agree best with the order of the rest; else open."""
    interval = time.interval
    assert interval is not None
    length = interval.latest - interval.earliest
    clock = interval.earliest if interval.frame == "day" else interval.earliest % DAY
    halves = [clock] if time.half_known else [clock % HALF_DAY, clock % HALF_DAY + HALF_DAY]
    if not time.half_known:
        length = 0
    scores: dict[int, float] = {}
    for day in days:
        on_day = sum(other.earliest // DAY * DAY == day for other in fixed.values())
        for half in halves:
            at = Interval(day + half, day + half + length, interval.level, frame)
            score = _SAME_DAY * on_day / len(fixed)
            score -= _FAR * np.log1p(min(_hours_apart(at, told) for told in fixed.values()))
            for other, told in fixed.items():
                sign = int(at.before(told)) - int(told.before(at))
                score += float(np.clip(log_odds[sentence, other], -2, 2)) * sign
            scores[day + half] = score
    ranked = sorted(scores, key=lambda start: (-scores[start], start))
    best = ranked[0]
    if len(ranked) > 1 and scores[best] - scores[ranked[1]] < _CLEAR:
        return time
    chosen = Interval(best, best + length, interval.level, frame)
    value = value_at(chosen)
    why = "the day" if time.half_known else "morning or evening"
    return StoryTime(value, chosen, "guess", f"{why} fits the order of the story", True, time.about)


def _hours_apart(one: Interval, two: Interval) -> float:
    return max(0, one.earliest - two.latest, two.earliest - one.latest) / 60


def value_at(interval: Interval) -> str:
    """The TIMEX3 value of an interval's start, as fine as its level.

    >>> value_at(Interval(4 * DAY + 600, 4 * DAY + 600, "minute", "week"))
    'XXXX-WXX-5T10:00'
    """
    days, minutes = divmod(interval.earliest, DAY)
    clock = f"T{minutes // 60:02d}:{minutes % 60:02d}" if interval.level == "minute" else ""
    if interval.level == "part of day":
        hour = minutes // 60
        clock = "T" + ("MO" if hour < 11 else "AF" if hour < 17 else "EV" if hour < 18 else "NI")
    if interval.frame == "week":
        return f"XXXX-WXX-{days % 7 + 1}{clock}"
    if interval.frame == "date":
        return date.fromordinal(max(days, 1)).isoformat() + clock
    if interval.frame == "year":
        day = date(_STAND_IN, 1, 1) + timedelta(days=days)
        return f"XXXX{day.isoformat()[4:]}{clock}"
    return f"XXXX-XX-XX{clock}"


def _with_distances(placed: list[StoryTime], times: Sequence[SentenceTime]) -> list[StoryTime]:
    """Times told from an event of the story: "a week after the collapse"."""
    result = list(placed)
    for i, time in enumerate(times):
        for value, relation, stems in time.anchors:
            if result[i].source == "told" and result[i].interval is not None:
                break
            match = _LENGTH.match(value)
            anchor = _anchor(i, stems, times, result)
            if match is None or anchor is None or (base := result[anchor].interval) is None:
                continue
            unit = ("T" if match[1] else "") + match[3]
            minutes = int(match[2]) * _UNIT_MINUTES[unit]
            minutes = -minutes if relation == "before" else minutes
            level = "minute" if base.level == "minute" and unit.startswith("T") else base.level
            if unit.startswith("T") and base.level != "minute":
                continue
            moved = Interval(base.earliest + minutes, base.latest + minutes, level, base.frame)
            source = "relative" if result[anchor].source in ("told", "relative") else "guess"
            why = f"counted from another sentence ({result[anchor].why or 'told there'})"
            result[i] = StoryTime(
                value_at(moved), moved, source, why, result[anchor].half_known, result[anchor].about
            )
    return result


def _anchor(
    sentence: int,
    stems: frozenset[str],
    times: Sequence[SentenceTime],
    placed: Sequence[StoryTime],
) -> int | None:
    """The timed sentence that speaks of most of an event's words, the earliest of equals."""
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

    return min(
        (j for j in shared if shared[j] == most),
        key=lambda j: (placed[j].source != "told", start(j), j),
    )
