"""Timestamps of chat messages, in the forms programs write, as ISO 8601.

A date such as 3/4/21 has several readings. The one that holds for all dates of an export, running
backwards least, is taken; where more than one does, a note says which, and how to change it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache
from itertools import pairwise
from os import PathLike
from typing import Any, NamedTuple

from fabula.errors import InputError, UsageError

__all__ = [
    "CLOCK",
    "DATE",
    "ORDERS",
    "DateOrder",
    "Stamp",
    "Times",
    "clock",
    "is_date",
    "read_stamps",
    "read_times",
]

ORDERS = ("dmy", "mdy", "ymd", "ydm")
_NAMES = {"dmy": "day first", "mdy": "month first", "ymd": "year first", "ydm": "year, day, month"}
# Groups: the three numbers of a date; hour, minute, second, am or pm.
DATE = r"(\d{1,4})[/.\-] ?(\d{1,2})[/.\-] ?(\d{1,4})\.?"
CLOCK = r"(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?(?:\s?([AaPp])\.?\s?[Mm]\b\.?)?"
_STAMP = re.compile(rf"{DATE}(?:,|\s(?:at|à|um|klo))?\s*{CLOCK}")
_CLOCK_ALONE = re.compile(CLOCK)
_MOST_SECONDS = 10**11  # since 1970; a larger number is in milliseconds


class Stamp(NamedTuple):
    """A date's three numbers as written, with dots between them or not, and HH:MM:SS."""

    parts: tuple[str, str, str]
    clock: str
    dotted: bool = False


class DateOrder(NamedTuple):
    """The order in which an export's dates were read, with a date of it in every order it has.

    ``doubt`` says why another order may be right: "" where the export decides, or where the order
    was given.
    """

    order: str
    given: bool
    written: str
    days: dict[str, str]
    doubt: str = ""


class Times(NamedTuple):
    """ISO times, None where there is none, notes on how a guess was made, and the order of dates.

    ``order`` is None where no date had to be read in one.
    """

    times: list[str | None]
    notes: tuple[str, ...] = ()
    order: DateOrder | None = None


def read_times(
    values: Sequence[tuple[int, Any]],
    *,
    path: str | PathLike[str],
    date_order: str | None = None,
) -> Times:
    """``YYYY-MM-DDTHH:MM:SS`` (or ``HH:MM:SS`` alone) of each (line, timestamp).

    A timestamp is ISO 8601 (with a zone: given in UTC), seconds or milliseconds since 1970, or a
    written date and time; ``date_order`` says which order its numbers are in.
    """
    read: list[str | Stamp | None] = []
    for line, value in values:
        text = "" if value is None else str(value).strip().strip("[]")
        try:
            read.append(_read(text) if text else None)
        except (ValueError, OverflowError, OSError) as error:
            problem = f"{text!r:.40} is no time; write YYYY-MM-DD HH:MM"
            raise InputError(problem, path=path, line=line) from error
    stamps = [value for value in read if isinstance(value, Stamp)]
    lines = [line for (line, _), r in zip(values, read, strict=True) if isinstance(r, Stamp)]
    resolved = read_stamps(stamps, lines, date_order)
    following = iter(resolved.times)
    times = [next(following) if isinstance(value, Stamp) else value for value in read]
    return Times(times, resolved.notes, resolved.order)


def read_stamps(
    stamps: Sequence[Stamp], lines: Sequence[int], date_order: str | None = None
) -> Times:
    """The ISO times of written dates, all in one order: the one given, or the likeliest.

    A date that is none in that order has no time, and a note counts them.
    """
    if date_order is not None and date_order not in ORDERS:
        raise UsageError(f"date_order is one of {', '.join(ORDERS)}; it is {date_order!r}")
    days = [stamp.parts for stamp in stamps]
    runs = [parts for i, parts in enumerate(days) if i == 0 or parts != days[i - 1]]
    dotted = all(stamp.dotted for stamp in stamps)
    if not runs:
        return Times([])
    read_in, notes = _given(runs, date_order) if date_order else _likeliest(runs, dotted)
    order = read_in.order
    read = {parts: _day(parts, order) for parts in set(days)}
    times = [f"{day}T{stamp.clock}" if (day := read[stamp.parts]) else None for stamp in stamps]
    if wrong := times.count(None):
        first = times.index(None)
        written = "/".join(days[first])
        notes += (
            f"{wrong} dates are none, read {_NAMES[order]}, and left out; the first is {written} "
            f"on line {lines[first]}",
        )
    return Times(times, notes, read_in)


def is_date(parts: tuple[str, str, str]) -> bool:
    """Whether the numbers are a date in some order."""
    return any(_day(parts, order) for order in ORDERS)


class _Reading(NamedTuple):
    """An order of a date's numbers, best first: few that are no dates, few steps back, usual."""

    wrong: int
    backwards: int
    unusual: bool
    span: int
    preference: int
    order: str


def _given(runs: Sequence[tuple[str, str, str]], order: str) -> tuple[DateOrder, tuple[str, ...]]:
    """The order that the user gave, shown by the first date that another order reads otherwise."""
    telling = [parts for parts in runs if len(set(_days(parts).values())) > 1]
    parts = (telling or runs)[0]
    return DateOrder(order, True, "/".join(parts), _days(parts)), ()


def _days(parts: tuple[str, str, str]) -> dict[str, str]:
    """The dates that three numbers are, by the order they are read in."""
    return {order: day.isoformat() for order in ORDERS if (day := _day(parts, order))}


def _likeliest(
    runs: Sequence[tuple[str, str, str]], dotted: bool
) -> tuple[DateOrder, tuple[str, ...]]:
    """The order of the numbers under which most are dates and time runs backwards least.

    Of equals the one of the shortest span is taken, since messages come in bursts, then the day
    first. Numbers with dots between them begin with the day, and a date begins with a year of four
    digits, unless that cannot be. A note tells what was taken wherever another order is as good, or
    likely.
    """
    readings = []
    for preference, order in enumerate(ORDERS):
        days = [day.toordinal() for parts in runs if (day := _day(parts, order))]
        backwards = sum(after < before for before, after in pairwise(days))
        short_year = order == "ymd" and any(len(parts[0]) == 2 for parts in runs)
        unusual = short_year or order == "ydm" or (dotted and order == "mdy")
        span = max(days) - min(days) if days else 0
        wrong = len(runs) - len(days)
        readings.append(_Reading(wrong, backwards, unusual, span, preference, order))
    best, *others = sorted(readings)
    for rival in others:
        unlikely = rival.unusual and not best.unusual and rival.span >= best.span
        if rival.wrong > best.wrong or unlikely:
            continue
        for parts in runs:
            day, other_day = _day(parts, best.order), _day(parts, rival.order)
            if day and other_day and day != other_day:
                written, doubt = "/".join(parts), _against(best, rival)
                return DateOrder(best.order, False, written, _days(parts), doubt), (
                    f"dates are read {_NAMES[best.order]}: {written} is {day}. "
                    f"{doubt}; to read it as {other_day} ({_NAMES[rival.order]}), "
                    f"say so: --date-order {rival.order}",
                )
    return DateOrder(best.order, False, "/".join(runs[0]), _days(runs[0])), ()


def _against(best: _Reading, rival: _Reading) -> str:
    if rival.backwards > best.backwards:
        times = "once" if rival.backwards == 1 else f"{rival.backwards} times"
        return f"{_NAMES[rival.order].capitalize()}, time would run backwards {times}"
    if rival.unusual and not best.unusual:
        return f"{_NAMES[rival.order].capitalize()} is not usual in this form"
    return "Nothing in the export decides it"


@cache
def _day(parts: tuple[str, str, str], order: str) -> date | None:
    """The date of three numbers, None where they are none; a year has two digits or four."""
    by_letter = dict(zip(order, parts, strict=True))
    year, month, day = (by_letter[letter] for letter in "ymd")
    if len(year) not in (2, 4) or max(len(month), len(day)) > 2 or (len(year), order) == (2, "ydm"):
        return None
    try:
        return date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day))
    except ValueError:
        return None


def clock(hour: str, minute: str, second: str | None, half: str | None) -> str:
    """``HH:MM:SS`` of what ``CLOCK`` matched; ``ValueError`` beyond the day.

    >>> clock("12", "05", None, "a")
    '00:05:00'
    """
    hours = int(hour)
    if half and not (half in "Pp" and 12 < hours < 24):  # some phones write 13:37 p.m.
        if not 1 <= hours <= 12:
            raise ValueError("no hour of half a day")
        hours = hours % 12 + (12 if half in "Pp" else 0)
    if hours > 23 or int(minute) > 59 or int(second or 0) > 59:
        raise ValueError("no time of day")
    return f"{hours:02d}:{minute}:{second or '00'}"


def _read(text: str) -> str | Stamp:
    if match := _CLOCK_ALONE.fullmatch(text):
        return clock(*match.groups())
    if re.fullmatch(r"\d{9,14}(\.\d+)?", text):
        seconds = float(text)
        moment = datetime.fromtimestamp(seconds / 1000 if seconds > _MOST_SECONDS else seconds, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%S")
    if not re.match(r"\d{4}-\d\d-\d\d(?:[T ]|$)", text) and (match := _STAMP.fullmatch(text)):
        first, second, third, *time = match.groups()
        return Stamp((first, second, third), clock(*time), "." in text.split()[0])
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.replace(microsecond=0).isoformat()
