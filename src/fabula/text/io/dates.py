"""Calendar dates as headers, file names and attributions write them: text in, ``YYYY-MM-DD`` out.

Only what has a day, a month and a year is a date here; what may be day or month first is none.
Time expressions inside sentences are read by ``text.temporal``.
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Sequence

__all__ = ["calendar_day", "date_in", "date_near", "day_in_name"]

_MONTHS = {name.lower()[:3]: number for number, name in enumerate(calendar.month_name) if number}
_MONTH = "(" + "|".join(f"{m}[a-z]{{0,6}}" for m in _MONTHS) + r")\.?"
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?[ -]+(?:of )?{_MONTH},?[ -]+(\d{{4}})\b", re.I
)
_MONTH_FIRST = re.compile(rf"\b{_MONTH}[ -]+(\d{{1,2}})(?:st|nd|rd|th)?,?[ -]+(\d{{4}})\b", re.I)
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_NUMBERS = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)")
_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)")


def calendar_day(year: int, month: int, day: int) -> str | None:
    """``YYYY-MM-DD``, or None where the calendar has no such day."""
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None


def date_in(text: str) -> str | None:
    """The first date with a day, month and year in a text.

    >>> date_in("On Tue, Mar 12, 2024 at 9:14 AM"), date_in("Sent: 12 March 2024 09:14")
    ('2024-03-12', '2024-03-12')
    >>> date_in("13/02/2024"), date_in("03/02/2024")  # the second may be March or February
    ('2024-02-13', None)
    """
    if match := _ISO.search(text):
        return calendar_day(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.search(text):
        return calendar_day(int(match[3]), _MONTHS[match[2][:3].lower()], int(match[1]))
    if match := _MONTH_FIRST.search(text):
        return calendar_day(int(match[3]), _MONTHS[match[1][:3].lower()], int(match[2]))
    if match := _NUMBERS.search(text):
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        if first > 12 or first == second:
            return calendar_day(year, second, first)
        return calendar_day(year, first, second) if second > 12 else None
    return None


def date_near(day: str, others: Sequence[str]) -> str | None:
    """A day without a year (``12 March``) in the year that brings it nearest to the median of
    other dates; None where there are none.

    >>> date_near("30 December", ["2024-01-02", "2024-01-04"])
    '2023-12-30'
    """
    known = sorted(datetime.date.fromisoformat(other) for other in others)
    if not known:
        return None
    middle = known[len(known) // 2]
    years = (date_in(f"{day} {middle.year + step}") for step in (-1, 0, 1))
    found = [datetime.date.fromisoformat(date) for date in years if date]
    return min(found, key=lambda date: abs(date - middle)).isoformat() if found else None


def day_in_name(name: str) -> str | None:
    """The day in a file's name.

    >>> day_in_name("2024-03-12-report"), day_in_name("wire_20240312_1"), day_in_name("20241312")
    ('2024-03-12', '2024-03-12', None)
    >>> day_in_name("minutes_4_June_2024"), day_in_name("7.6.2024 letter")  # June or July
    ('2024-06-04', None)
    """
    if match := _NAME.search(name):
        return calendar_day(int(match[1]), int(match[3]), int(match[4]))
    return date_in(name.replace("_", " "))
