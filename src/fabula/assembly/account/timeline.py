"""Timeline: the times of the stories' sentences in, dated entries of all stories in order out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date as calendar_date
from datetime import timedelta

from fabula.ordering.chronology.story_calendar import LAST_SPOKEN_OF, WHEN_SENT
from fabula.ordering.chronology.story_time import StoryTime, edtf_when
from fabula.text.temporal.interval import interval_of
from fabula.text.temporal.lexicon import MONTHS, WEEKDAYS

__all__ = [
    "TimelineEntry",
    "TimelineRow",
    "Undated",
    "format_sent",
    "format_value",
    "neighbours_of",
    "timeline_of",
    "undated_of",
]

_WITHIN_DAY = ("day", "part of day")
_FRAMES = ("date", "year", "week", "day")
_PARTS = {"MO": "morning", "MI": "midday", "AF": "afternoon", "EV": "evening", "NI": "night"}
_SEASONS = {"SP": "spring", "SU": "summer", "FA": "autumn", "WI": "winter"}


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """The time of the sentence at ``position`` of ``story``: ``when`` as text, ``key`` to sort by.

    ``date`` is the time in EDTF, None where only a weekday or an hour is known. ``source`` is told,
    relative, document or guess; ``guessed`` says that it was inferred, and ``why`` from what.
    """

    when: str
    story: int
    position: int
    guessed: bool
    key: tuple[int, int, int] = (0, 0, 0)
    date: str | None = None
    source: str = "told"
    why: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class Undated:
    """What is not on a timeline: documents without a date, and sentences without a time.

    A sentence is (story, position, the date before it, the date after it), the dates in EDTF by the
    story's order, None where there is none.
    """

    documents: tuple[str, ...] = ()
    events: tuple[tuple[int, int, str | None, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A sentence of a story as the timeline needs it; ``sent`` is its message's timestamp.

    ``telling`` is False for a sentence of a message that tells no event (``tells_event``).
    """

    story: int
    position: int
    document: str
    time: StoryTime
    sent: str | None = None
    telling: bool = True


def timeline_of(rows: Sequence[TimelineRow]) -> list[TimelineEntry]:
    """The dated sentences of all stories, earliest first.

    A sentence of which nothing but its document's date is known is left out, unless its document
    would not be on the timeline at all: then its first such sentence stands for it. A message that
    tells no event and names no time is left out: that it was sent is no event of the story. Times
    of unknown dates come after those of known ones, weekday by weekday and hour by hour.
    """
    rows = _in_story_order(rows)
    entries = [entry for row in rows if (entry := _entry(row)) is not None]
    shown = {(row.story, row.document) for row in rows if row.sent or _tells_when(row)}
    for row in rows:
        if (row.story, row.document) not in shown and row.time.interval is not None:
            shown.add((row.story, row.document))
            entries.append(_made(row))
    starts = _starts(entries)
    return sorted(
        entries,
        key=lambda entry: (
            entry.key[0],
            starts[entry.story, entry.position],
            entry.story,
            entry.position,
        ),
    )


def _in_story_order(rows: Sequence[TimelineRow]) -> list[TimelineRow]:
    return sorted(rows, key=lambda row: (row.story, row.position))


def _starts(entries: Sequence[TimelineEntry]) -> dict[tuple[int, int], int]:
    """Where each entry is sorted in: a day of which the story has told an hour already, there."""
    starts: dict[tuple[int, int], int] = {}
    told: dict[tuple[int, int], int] = {}  # the latest start so far of a story and a frame
    for entry in sorted(entries, key=lambda entry: (entry.story, entry.position)):
        frame, earliest, latest = entry.key
        start = told.get((entry.story, frame), earliest)
        if not (entry.level in _WITHIN_DAY and earliest <= start <= latest):
            start = earliest
        starts[entry.story, entry.position] = told[entry.story, frame] = start
    return starts


def _tells_when(row: TimelineRow) -> bool:
    """Whether a sentence's own words say when."""
    own = row.time.source in ("told", "relative", "guess") and row.time.why not in (
        LAST_SPOKEN_OF,
        WHEN_SENT,
    )
    return own and row.time.interval is not None


def _entry(row: TimelineRow) -> TimelineEntry | None:
    if _tells_when(row):
        return _made(row)
    return _sent(row) if row.sent and row.telling else None


def _made(row: TimelineRow) -> TimelineEntry:
    time = row.time
    interval = time.interval
    assert interval is not None
    guessed = time.source in ("guess", "document") or not time.half_known or time.planned
    why = time.why or ("morning or evening is not told" if not time.half_known else "")
    return TimelineEntry(
        when=format_value(time.value, half_known=time.half_known),
        story=row.story,
        position=row.position,
        guessed=guessed,
        key=(_FRAMES.index(interval.frame), interval.earliest, interval.latest),
        date=edtf_when(time),
        source=time.source,
        why=why,
        level=interval.level,
    )


def _sent(row: TimelineRow) -> TimelineEntry:
    """The entry of a message that tells no time itself: when it was sent."""
    sent = row.sent or ""
    value = _sent_value(sent)
    interval = interval_of(value)
    key = (0, 0, 0) if interval is None else (
        _FRAMES.index(interval.frame), interval.earliest, interval.latest
    )  # fmt: skip
    return TimelineEntry(
        when=format_sent(sent),
        story=row.story,
        position=row.position,
        guessed=False,
        key=key,
        date=None if value.startswith("X") else value,
        level="minute",
    )


def format_sent(sent: str) -> str:
    """The timestamp of a message as the timeline writes times.

    >>> format_sent("2024-03-11T18:33:00"), format_sent("18:33")
    ('11 March 2024 18:33', '18:33')
    """
    return format_value(_sent_value(sent)) or sent


def _sent_value(sent: str) -> str:
    """A message's timestamp as a TIMEX3 value to the minute; the day may be unknown."""
    return sent[:16] if "T" in sent else f"XXXX-XX-XXT{sent[:5]}"


def undated_of(
    rows: Sequence[TimelineRow],
    entries: Sequence[TimelineEntry],
    dates: Mapping[str, str | None],
) -> Undated:
    """The documents without a date (``dates`` by name), and the sentences not on the timeline.

    A sentence's place in its story says between which dates it lies. A message has its own time.
    """
    dated = {(entry.story, entry.position) for entry in entries}
    events = tuple(
        (row.story, row.position, *neighbours_of(row.story, row.position, entries))
        for row in _in_story_order(rows)
        if (row.story, row.position) not in dated and not row.sent
    )
    return Undated(tuple(name for name, date in dates.items() if not date), events)


def neighbours_of(
    story: int, position: int, entries: Sequence[TimelineEntry]
) -> tuple[str | None, str | None]:
    """The dates between which an undated sentence of a story lies, by the story's order."""
    own = sorted((e.position, e.date) for e in entries if e.story == story and e.date)
    before = [date for place, date in own if place < position]
    after = [date for place, date in own if place > position]
    return (before[-1] if before else None), (after[0] if after else None)


def format_value(value: str, *, half_known: bool = True) -> str:
    """A TIMEX3 value as people write it.

    >>> format_value("1911-05-03T02:30"), format_value("XXXX-WXX-5T09:55"), format_value("198")
    ('3 May 1911 02:30', 'Friday 09:55', '1980s')
    """
    date, _, time = value.partition("T")
    if time[:5] == "24:00":
        date, time = _day_after(date), "00:00"
        if not date:
            return "midnight"
    parts = [_date_text(date)]
    if re.match(r"\d\d:\d\d", time):
        parts.append(time[:5] if half_known else f"{time[:5]} am or pm")
    elif time in _PARTS:
        parts.append(_PARTS[time])
    return " ".join(part for part in parts if part)


def _day_after(date: str) -> str:
    """The day or weekday after one; empty where it is unknown."""
    if match := re.fullmatch(r"XXXX-WXX-(\d)", date):
        return f"XXXX-WXX-{int(match[1]) % 7 + 1}"
    try:
        return (calendar_date.fromisoformat(date) + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _date_text(date: str) -> str:
    if match := re.fullmatch(r"(\d{4}|XXXX)-(\d\d)(?:-(\d\d))?", date):
        year = "" if match[1] == "XXXX" else match[1]
        day = str(int(match[3])) if match[3] else ""
        return " ".join(part for part in (day, MONTHS[int(match[2]) - 1], year) if part)
    if match := re.fullmatch(r"XXXX-WXX-(\d)", date):
        return WEEKDAYS[int(match[1]) - 1].title()
    if match := re.fullmatch(r"(\d{4}|XXXX)-(SP|SU|FA|WI)", date):
        return f"{_SEASONS[match[2]]} {match[1]}".replace(" XXXX", "")
    if match := re.fullmatch(r"(\d{4})-W(\d\d)(-WE)?", date):
        return f"{'weekend' if match[3] else 'week'} {int(match[2])} of {match[1]}"
    if match := re.fullmatch(r"(\d{4})-([QH]\d)", date):
        return f"{match[2]} {match[1]}"
    if re.fullmatch(r"\d{3}", date):
        return f"{date}0s"
    if re.fullmatch(r"\d\d", date):
        return f"{int(date) + 1}th century"
    if match := re.fullmatch(r"BC(\d+)", date):
        return f"{int(match[1])} BC"
    return "" if date.startswith("XXXX") else date
