"""Timeline: the times of the stories' sentences in, dated entries of all stories in order out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fabula.ordering.chronology.solver import edtf_when
from fabula.ordering.chronology.story_calendar import StoryTime
from fabula.text.temporal.lexicon import MONTHS, WEEKDAYS

__all__ = [
    "TimelineEntry",
    "TimelineRow",
    "format_value",
    "neighbours_of",
    "timeline_of",
    "undated_of",
]

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
    key: tuple[int, ...] = ()
    date: str | None = None
    source: str = "told"
    why: str = ""


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A sentence of a story as the timeline needs it; ``sent`` is its message's timestamp."""

    story: int
    position: int
    document: str
    time: StoryTime
    sent: str | None = None


def timeline_of(rows: Sequence[TimelineRow]) -> list[TimelineEntry]:
    """The dated sentences of all stories, earliest first.

    A sentence of which nothing but its document's date is known is left out, unless its document
    would not be on the timeline at all: then its first such sentence stands for it. Times of
    unknown dates come after those of known ones, weekday by weekday and hour by hour.
    """
    entries = [entry for row in rows if (entry := _entry(row)) is not None]
    shown = {(row.story, row.document) for row in rows if _is_own(row)}
    for row in sorted(rows, key=lambda row: (row.story, row.position)):
        if (row.story, row.document) not in shown and row.time.interval is not None:
            shown.add((row.story, row.document))
            entries.append(_made(row))
    return sorted(entries, key=lambda entry: (entry.key, entry.story, entry.position))


def _is_own(row: TimelineRow) -> bool:
    """Whether a sentence's own words, or its message, say when."""
    if row.sent:
        return True
    own = row.time.source in ("told", "relative") or (
        row.time.source == "guess" and "last spoke of" not in row.time.why
    )
    return own and row.time.interval is not None


def _entry(row: TimelineRow) -> TimelineEntry | None:
    if not _is_own(row):
        return None
    if row.time.interval is None or row.time.source in ("", "document"):
        return _sent(row) if row.sent else None
    return _made(row)


def _made(row: TimelineRow) -> TimelineEntry:
    time = row.time
    interval = time.interval
    assert interval is not None
    guessed = time.source in ("guess", "document") or not time.half_known
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
    )


def _sent(row: TimelineRow) -> TimelineEntry:
    """The entry of a message that tells no time itself: when it was sent."""
    from fabula.text.temporal.interval import interval_of

    sent = row.sent or ""
    value = sent[:16] if "T" in sent else f"XXXX-XX-XXT{sent[:5]}"
    interval = interval_of(value)
    key = (0, 0, 0) if interval is None else (
        _FRAMES.index(interval.frame), interval.earliest, interval.latest
    )  # fmt: skip
    date = sent[:16] if "T" in sent else None
    return TimelineEntry(
        sent.replace("T", " "), row.story, row.position, False, key, date, "told", ""
    )


def undated_of(
    rows: Sequence[TimelineRow], entries: Sequence[TimelineEntry]
) -> tuple[tuple[int, int], ...]:
    """(story, position) of the sentences that are not on the timeline, in story order.

    Their place in the story says between which dated ones they lie.
    """
    dated = {(entry.story, entry.position) for entry in entries}
    return tuple(
        (row.story, row.position)
        for row in sorted(rows, key=lambda row: (row.story, row.position))
        if (row.story, row.position) not in dated
    )


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
    parts = [_date_text(date)]
    if re.match(r"\d\d:\d\d", time):
        parts.append(time[:5] if half_known else f"{time[:5]} am or pm")
    elif time in _PARTS:
        parts.append(_PARTS[time])
    return " ".join(part for part in parts if part)


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
