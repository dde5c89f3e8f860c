"""Timeline: the times of each story's sentences in, dated entries of all stories in order out."""

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

_LEAP_YEAR = 2000  # stands in for an unknown year, so that 29 February is a date


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """The time of the sentence at ``position`` of ``story``: ``when`` as text, ``key`` to sort by.

    ``guessed``: the day, or morning or evening, was inferred from other sentences.
    """

    when: str
    story: int
    position: int
    guessed: bool
    key: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceTime:
    """A sentence's time: the moment in its text, its message's timestamp, the weekday it names."""

    moment: Moment
    sent: str | None = None
    weekday: int | None = None


def date_stories(stories: Sequence[tuple[int, Sequence[SentenceTime]]]) -> list[TimelineEntry]:
    """The dated sentences of all stories, earliest first.

    Three cases. At most one date in the pile and no timestamps: all its hours are placed together,
    with morning or evening chosen so that they span least. No date but several weekdays: the
    weekdays are the days. Otherwise each story is dated by itself.
    """
    sentences = [
        (number, position, time)
        for number, times in stories
        for position, time in enumerate(times, 1)
    ]
    date = one_date(time.moment for _, _, time in sentences)
    if any(time.sent for _, _, time in sentences):
        date = None
    if date == (None, None, None) and not is_one_night(time.weekday for _, _, time in sentences):
        first = _first_day([[time.weekday for time in times] for _, times in stories])
        entries = [entry for number, times in stories for entry in date_story(number, times, first)]
    elif date is None:
        entries = [entry for number, times in stories for entry in date_story(number, times)]
    else:
        entries = _date_hours(sentences, date)
    return sorted(entries, key=lambda entry: (entry.key, entry.story, entry.position))


def _first_day(stories: Sequence[Sequence[int | None]]) -> int:
    """The weekday to count from that makes most neighbouring weekdays of the stories increase."""

    def increases(first: int) -> int:
        offsets = [[(day - first) % 7 for day in story if day is not None] for story in stories]
        return sum((b > a) - (b < a) for days in offsets for a, b in pairwise(days))

    starts = possible_first_days(day for story in stories for day in story)
    return max(starts, key=lambda start: increases(start[1]))[1]


def _date_hours(
    sentences: Sequence[tuple[int, int, SentenceTime]], date: Date
) -> list[TimelineEntry]:
    """Entries of a pile with at most one date, by hours counted from its first clock time.

    The count starts at a clock time known to be morning or evening, else at one taken as evening.
    """
    moments = [time.moment for _, _, time in sentences]
    offsets = clock_offsets(moments, [time.weekday for _, _, time in sentences])
    clocks = [(m, offset) for m, offset in zip(moments, offsets, strict=True) if offset is not None]
    with_half = [
        m.clock - offset for m, offset in clocks if m.half is not None and m.clock is not None
    ]
    as_evening = [(m.clock or 0) % 720 + 720 - offset for m, offset in clocks]
    start = (with_half or as_evening or [0])[0] % DAY
    entries = []
    for (number, position, time), offset in zip(sentences, offsets, strict=True):
        has_date = time.moment.year is not None or time.moment.month is not None
        if offset is None and not has_date:
            continue
        days, clock = (0, None) if offset is None else divmod(start + offset, DAY)
        year, month, day = date
        key = (year or 0, month or 0, (day or 0) + days, -1 if clock is None else clock)
        guessed = clock is not None and (time.moment.half is None or (not has_date and any(date)))
        when = format_date(*date, days, clock)
        entries.append(TimelineEntry(when, number, position, guessed, key))
    return entries


def date_story(
    story: int, times: Sequence[SentenceTime], first: int | None = None
) -> list[TimelineEntry]:
    """The dated sentences of one story, its times given in story order.

    With ``first``, the weekday to count from, days are weekdays. A clock time without a day is on
    the day of the last date; a clock that runs back by more than six hours starts the next day. Of
    morning and evening, an ambiguous time is the one nearer to the time before it.
    """
    entries = []
    year = month = day = None
    last_clock: int | None = None
    days = 0  # since the last date, or since ``first``
    weekdays = [time.weekday for time in times if time.weekday is not None]
    if first is not None and weekdays:  # sentences before the first weekday are on that day
        days = (weekdays[0] - first) % 7
    for position, time in enumerate(times, 1):
        moment, guessed = time.moment, False
        if first is not None and time.weekday is not None:
            days, last_clock = (time.weekday - first) % 7, None
        elif moment.year is None and moment.month is None and moment.clock is None:
            if time.sent:
                sent, key = time.sent.replace("T", " "), _timestamp_key(time.sent)
                entries.append(TimelineEntry(sent, story, position, False, key))
            continue
        if moment.year is not None:
            year, month, day, days = moment.year, moment.month, moment.day, 0
        elif moment.month is not None:
            month, day, days = moment.month, moment.day, 0
        elif year or month or (first is not None and time.weekday is None):
            guessed = True
        clock = moment.clock
        if clock is not None:
            if moment.half is None:
                guessed = True
                choices = [clock % 720, clock % 720 + 720]
                clock = choices[1] if last_clock is None else _nearest(choices, last_clock)
            if last_clock is not None and clock % DAY < last_clock - 360:
                days += 1
            last_clock = clock % DAY if clock != DAY else clock
        key = (year or 0, month or 0, (day or 0) + days, -1 if clock is None else clock)
        if first is None:
            when = format_date(year, month, day, days, clock)
        else:
            when = _format_weekday((first + days) % 7 if weekdays else None, clock)
        entries.append(TimelineEntry(when, story, position, guessed, key))
    return entries


def _format_weekday(day: int | None, clock: int | None) -> str:
    parts = [] if day is None else [WEEKDAYS[day].title()]
    return " ".join([*parts, format_date(None, None, None, 0, clock)]).strip()


def _nearest(choices: Sequence[int], clock: int) -> int:
    return min(choices, key=lambda choice: abs(choice - clock))


def format_date(
    year: int | None, month: int | None, day: int | None, days: int, clock: int | None
) -> str:
    """A date and clock time as text, ``days`` after the date given.

    >>> format_date(1911, 5, 3, 1, 150), format_date(None, None, None, 1, 480)
    ('4 May 1911 02:30', 'next day 08:00')
    """
    parts = []
    if days and month and day:
        try:
            later = calendar_date(year or _LEAP_YEAR, month, day) + timedelta(days=days)
        except (ValueError, OverflowError):
            pass  # 31 June: shown as written
        else:
            year = later.year if year else None
            month, day, days = later.month, later.day, 0
    if month is not None:
        name = MONTHS[month - 1] if 1 <= month <= 12 else ""
        parts.append(f"{day} {name}" if day else name)
    if year is not None:
        parts.append(str(year))
    if days:
        parts.append("next day" if days == 1 else f"{days} days later")
    if clock is not None:
        hour = 24 if clock == DAY else clock // 60 % 24  # 24:00 stays on its day
        parts.append(f"{hour:02d}:{clock % 60:02d}")
    return " ".join(parts)


def _timestamp_key(timestamp: str) -> tuple[int, ...]:
    if "T" not in timestamp:
        hour, minute = timestamp.split(":")[:2]
        return (0, 0, 0, int(hour) * 60 + int(minute))
    date, clock = timestamp.split("T")
    year, month, day = map(int, date.split("-"))
    hours, minutes = map(int, clock.split(":")[:2])
    return (year, month, day, hours * 60 + minutes)
