"""A TIMEX3 value as an interval of minutes, and as an EDTF date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from fabula.text.temporal.calendar_values import SEASON_MONTHS, add_months
from fabula.text.temporal.lexicon import DAY, HALF_DAY

__all__ = ["LEVELS", "Interval", "edtf_of", "interval_of"]

LEVELS = (
    "minute",
    "hour",
    "part of day",
    "day",
    "week",
    "month",
    "season",
    "year",
    "decade",
    "century",
)
_PARTS = {"MO": (4, 12), "MI": (11, 14), "AF": (12, 18), "EV": (17, 24), "NI": (18, 30)}
_EDTF_SEASONS = {
    "SP": "21", "SU": "22", "FA": "23", "WI": "24", "Q1": "33", "Q2": "34", "Q3": "35",
    "Q4": "36", "H1": "40", "H2": "41",
}  # fmt: skip
_DATE = re.compile(r"(\d{4}|XXXX)-(\d\d)-(\d\d)(?:T(.*))?$")
_WEEKDAY = re.compile(r"XXXX-WXX-(\d)(?:T(.*))?$")
_CLOCK = re.compile(r"(\d\d):(\d\d)")
_STAND_IN = 2000  # for an unknown year: a leap year


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``earliest`` to ``latest`` in minutes, both included.

    ``frame`` says from what they are counted, and only intervals of one frame compare: "date", the
    year 1; "year", a New Year of an unknown year; "week", a Monday; "day", an unknown midnight.
    """

    earliest: int
    latest: int
    level: str
    frame: str = "date"

    def before(self, other: Interval) -> bool:
        """Whether this one certainly ends before the other begins."""
        return self.frame == other.frame and self.latest < other.earliest


def interval_of(value: str, *, half_known: bool = True) -> Interval | None:
    """The interval a TIMEX3 value leaves open; None for what is no place in time.

    >>> interval_of("2013-05").level, interval_of("XXXX-WXX-5T09:00").frame
    ('month', 'week')
    """
    if match := _DATE.match(value):
        year, frame = (_STAND_IN, "year") if match[1] == "XXXX" else (int(match[1]), "date")
        try:
            start = date(year, int(match[2]), int(match[3])).toordinal() * DAY
        except ValueError:
            return None
        if frame == "year":
            start -= date(_STAND_IN, 1, 1).toordinal() * DAY
        return _in_day(start, match[4] or "", frame, half_known)
    if match := _WEEKDAY.match(value):
        return _in_day((int(match[1]) - 1) * DAY, match[2] or "", "week", half_known)
    if value.startswith("XXXX-XX-XXT"):
        return _in_day(0, value[11:], "day", half_known)
    return _coarse(value)


def _in_day(start: int, time: str, frame: str, half_known: bool) -> Interval | None:
    if not time or time.startswith("X"):
        return Interval(start, start + DAY - 1, "day", frame) if frame != "day" else None
    if match := _CLOCK.match(time):
        minute = start + int(match[1]) * 60 + int(match[2])
        if half_known:
            return Interval(minute, minute, "minute", frame)
        return Interval(minute, minute + HALF_DAY, "minute", frame)
    if time in _PARTS:
        opens, closes = _PARTS[time]
        return Interval(start + opens * 60, start + closes * 60 - 1, "part of day", frame)
    return None


def _days(first: date, after: date, level: str) -> Interval:
    return Interval(first.toordinal() * DAY, after.toordinal() * DAY - 1, level)


def _years(first: int, after: int, level: str) -> Interval:
    """Years of any era; those before the year 1 by mean length."""
    if first >= 1 and after <= 9999:
        return _days(date(first, 1, 1), date(after, 1, 1), level)
    return Interval(
        round((first - 1) * 365.2425 * DAY), round((after - 1) * 365.2425 * DAY) - 1, level
    )


def _coarse(value: str) -> Interval | None:
    try:
        if match := re.fullmatch(r"(\d{4})-W(\d\d)(-WE)?", value):
            monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
            first = monday + timedelta(days=5) if match[3] else monday
            return _days(first, monday + timedelta(days=7), "week")
        if match := re.fullmatch(r"(\d{4})-(\d\d)", value):
            first = date(int(match[1]), int(match[2]), 1)
            return _days(first, add_months(first, 1), "month")
        if match := re.fullmatch(r"XXXX-(\d\d)", value):
            first = date(_STAND_IN, int(match[1]), 1)
            start = (first - date(_STAND_IN, 1, 1)).days * DAY
            length = (add_months(first, 1) - first).days * DAY
            return Interval(start, start + length - 1, "month", "year")
        if match := re.fullmatch(r"(\d{4})-([SFWQH][PUAI1-4])", value):
            first_month, last_month = SEASON_MONTHS[match[2]]
            first = date(int(match[1]), first_month, 1)
            return _days(first, add_months(first, last_month - first_month + 1), "season")
        if re.fullmatch(r"\d{4}", value):
            return _years(int(value), int(value) + 1, "year")
        if re.fullmatch(r"\d{3}", value):
            return _years(int(value) * 10, int(value) * 10 + 10, "decade")
        if re.fullmatch(r"\d\d", value):
            return _years(int(value) * 100, int(value) * 100 + 100, "century")
        if match := re.fullmatch(r"BC(\d{4})", value):
            return _years(1 - int(match[1]), 2 - int(match[1]), "year")
        if match := re.fullmatch(r"BC(\d\d)", value):
            first_year = 1 - 100 * (int(match[1]) + 1)
            return _years(first_year, first_year + 100, "century")
    except (ValueError, KeyError):
        return None
    return None


def edtf_of(
    value: str, *, half_known: bool = True, guessed: bool = False, about: bool = False
) -> str | None:
    """A TIMEX3 value in EDTF (ISO 8601-2), as fine as it is known; None where no date is known.

    >>> edtf_of("2013-03-22T10:20"), edtf_of("2013-05", guessed=True), edtf_of("198")
    ('2013-03-22T10:20', '2013-05?', '198X')
    """
    date_part = _edtf(value, half_known)
    if date_part is None:
        return None
    if "T" in date_part:
        return date_part if not guessed else date_part.partition("T")[0] + "?"
    return date_part + ("%" if guessed and about else "?" if guessed else "~" if about else "")


def _edtf(value: str, half_known: bool) -> str | None:
    if match := _DATE.match(value):
        day = value[:10]
        if match[1] != "XXXX" and half_known and (clock := _CLOCK.match(match[4] or "")):
            if clock[1] == "24":
                following = date.fromisoformat(day) + timedelta(days=1)
                return f"{following.isoformat()}T00:00"
            return f"{day}T{clock[0]}"
        return day
    if re.fullmatch(r"(\d{4}|XXXX)-\d\d|\d{4}", value):
        return value
    if match := re.fullmatch(r"(\d{4})-W(\d\d)(-WE)?", value):
        monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
        first = monday + timedelta(days=5) if match[3] else monday
        return f"{first.isoformat()}/{(monday + timedelta(days=6)).isoformat()}"
    if match := re.fullmatch(r"(\d{4})-([SFWQH][PUAI1-4])", value):
        return f"{match[1]}-{_EDTF_SEASONS[match[2]]}"
    if re.fullmatch(r"\d{2,3}", value):
        return value + "X" * (4 - len(value))
    if match := re.fullmatch(r"BC(\d{4})", value):
        return f"-{int(match[1]) - 1:04d}"
    return None
