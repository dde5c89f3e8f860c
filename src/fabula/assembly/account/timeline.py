"""A timeline of dated events across the stories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as calendar_date
from datetime import timedelta
from itertools import pairwise

from fabula.ordering.chronology.temporal_order import Date, one_date
from fabula.text.temporal.expressions import Moment
from fabula.text.temporal.hour_offsets import clock_offsets
from fabula.text.temporal.lexicon import DAY, MONTHS, WEEKDAYS
from fabula.text.temporal.weekdays import is_one_night, possible_first_days

__all__ = ["SentenceTime", "TimelineEntry", "date_stories", "date_story", "format_date"]

_LEAP = 2000  # where no year is told the twenty-ninth of February may be


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """When the sentence at ``position`` of ``story`` happened; ``when`` sorts and reads alike.

    ``guessed`` says that part of it (day, or morning or evening) was taken from its neighbours.
    """

    when: str
    story: int
    position: int
    guessed: bool
    key: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceTime:
    """One sentence's time: told in the text, or that of its message."""

    moment: Moment
    sent: str | None = None
    weekday: int | None = None


def date_stories(stories: Sequence[tuple[int, Sequence[SentenceTime]]]) -> list[TimelineEntry]:
    """The dated sentences of all stories, earliest first.

    Where the pile tells of one date at most, all of it is one stretch of hours: a time without
    morning or evening then falls where the times of all stories together span least. Where it
    tells of no date but of several weekdays, these are the days.
    """
    every = [(number, at, when) for number, whens in stories for at, when in enumerate(whens, 1)]
    date = one_date(when.moment for _, _, when in every)
    if any(when.sent for _, _, when in every):
        date = None
    if date == (None, None, None) and not is_one_night(when.weekday for _, _, when in every):
        first = _first_day([[when.weekday for when in whens] for _, whens in stories])
        found = [entry for number, whens in stories for entry in date_story(number, whens, first)]
    elif date is None:
        found = [entry for number, whens in stories for entry in date_story(number, whens)]
    else:
        found = _one_stretch(every, date)
    return sorted(found, key=lambda entry: (entry.key, entry.story, entry.position))


def _first_day(stories: Sequence[Sequence[int | None]]) -> int:
    """The weekday to count from, so that the stories, as they are told, go forward most often."""

    def forward(first: int) -> int:
        gone = [[(day - first) % 7 for day in story if day is not None] for story in stories]
        return sum((b > a) - (b < a) for days in gone for a, b in pairwise(days))

    return max(
        possible_first_days(day for story in stories for day in story), key=lambda s: forward(s[1])
    )[1]


def _one_stretch(every: Sequence[tuple[int, int, SentenceTime]], told: Date) -> list[TimelineEntry]:
    moments = [when.moment for _, _, when in every]
    passed = clock_offsets(moments, [when.weekday for _, _, when in every])
    clocks = [(m, gone) for m, gone in zip(moments, passed, strict=True) if gone is not None]
    sure = [m.clock - gone for m, gone in clocks if m.half is not None and m.clock is not None]
    evening = [(m.clock or 0) % 720 + 720 - gone for m, gone in clocks]
    start = (sure or evening or [0])[0] % DAY
    found = []
    for (number, position, when), gone in zip(every, passed, strict=True):
        dated = when.moment.year is not None or when.moment.month is not None
        if gone is None and not dated:
            continue
        days, clock = (0, None) if gone is None else divmod(start + gone, DAY)
        year, month, day = told
        key = (year or 0, month or 0, (day or 0) + days, -1 if clock is None else clock)
        guessed = clock is not None and (when.moment.half is None or (not dated and any(told)))
        found.append(TimelineEntry(format_date(*told, days, clock), number, position, guessed, key))
    return found


def date_story(
    story: int, whens: Sequence[SentenceTime], first: int | None = None
) -> list[TimelineEntry]:
    """The dated sentences of one story, given in its order.

    With ``first``, a weekday from which they follow, days are weekdays.

    A clock time without a day is of the day of the last date told; when the clock runs backwards
    by more than six hours a night has passed. A time without morning or evening is the one nearer
    to the time before it.
    """
    found = []
    year = month = day = None
    last: int | None = None
    passed = 0
    named = [when.weekday for when in whens if when.weekday is not None]
    if first is not None and named:  # what comes before the first day named is of that day
        passed = (named[0] - first) % 7
    for position, when in enumerate(whens, 1):
        moment, guessed = when.moment, False
        if first is not None and when.weekday is not None:
            passed, last = (when.weekday - first) % 7, None
        elif moment.year is None and moment.month is None and moment.clock is None:
            if when.sent:
                found.append(
                    TimelineEntry(
                        when.sent.replace("T", " "), story, position, False, _sent(when.sent)
                    )
                )
            continue
        if moment.year is not None:
            year, month, day, passed = moment.year, moment.month, moment.day, 0
        elif moment.month is not None:
            month, day, passed = moment.month, moment.day, 0
        elif year or month or (first is not None and when.weekday is None):
            guessed = True
        clock = moment.clock
        if clock is not None:
            if moment.half is None:
                guessed = True
                choices = [clock % 720, clock % 720 + 720]
                clock = choices[1] if last is None else _nearer(choices, last)
            if last is not None and clock % DAY < last - 360:
                passed += 1
            last = clock % DAY if clock != DAY else clock
        key = (year or 0, month or 0, (day or 0) + passed, -1 if clock is None else clock)
        if first is None:
            told = format_date(year, month, day, passed, clock)
        else:
            told = _on_weekday((first + passed) % 7 if named else None, clock)
        found.append(TimelineEntry(told, story, position, guessed, key))
    return found


def _on_weekday(day: int | None, clock: int | None) -> str:
    parts = [] if day is None else [WEEKDAYS[day].title()]
    return " ".join([*parts, format_date(None, None, None, 0, clock)]).strip()


def _nearer(choices: Sequence[int], to: int) -> int:
    return min(choices, key=lambda choice: abs(choice - to))


def format_date(
    year: int | None, month: int | None, day: int | None, passed: int, clock: int | None
) -> str:
    """A moment in words.

    >>> format_date(1911, 5, 3, 1, 150), format_date(None, None, None, 1, 480)
    ('4 May 1911 02:30', 'next day 08:00')
    """
    parts = []
    if passed and month and day:
        try:
            later = calendar_date(year or _LEAP, month, day) + timedelta(days=passed)
        except (ValueError, OverflowError):
            pass  # the thirty-first of June: said as it was told
        else:
            year = later.year if year else None
            month, day, passed = later.month, later.day, 0
    if month is not None:
        name = MONTHS[month - 1] if 1 <= month <= 12 else ""
        parts.append(f"{day} {name}" if day else name)
    if year is not None:
        parts.append(str(year))
    if passed:
        parts.append("next day" if passed == 1 else f"{passed} days later")
    if clock is not None:
        hour = 24 if clock == DAY else clock // 60 % 24  # the end of its day
        parts.append(f"{hour:02d}:{clock % 60:02d}")
    return " ".join(parts)


def _sent(time: str) -> tuple[int, ...]:
    if "T" not in time:
        hour, minute = time.split(":")[:2]
        return (0, 0, 0, int(hour) * 60 + int(minute))
    date, clock = time.split("T")
    year, month, day = map(int, date.split("-"))
    hours, minutes = map(int, clock.split(":")[:2])
    return (year, month, day, hours * 60 + minutes)
