"""Days in a sentence: dates, weekdays and feasts, each as far as it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fabula.text.lexicon import alternation
from fabula.text.temporal.lexicon import (
    AFTER_DAY,
    DAY_NUMBER,
    FEASTS,
    MONTH,
    MONTHS,
    WEEKDAY,
    WEEKDAYS,
    number_of_day,
)

__all__ = ["CalendarDay", "find_calendar_days"]

_NUMBER = rf"(?:{DAY_NUMBER})"
_MONTH = rf"(?:{MONTH})"
_NO_NOUN = rf"(?=\s*(?:[,;.!?:)]|$)|\s+(?:{AFTER_DAY})\b)"
_DAY = re.compile(
    rf"""
    \b(?:(?P<weekday>{WEEKDAY})\b(?:\s+(?:morning|evening|night|afternoon))?
       (?:,?\s+(?:(?:the|of)\s+)*(?P<after>{_NUMBER})\b(?!\s*[:.]\d)
          (?:\s+(?:day\s+)?(?:of\s+)?(?P<aftermonth>{_MONTH})\b|{_NO_NOUN}))?
    |(?P<day>{_NUMBER})\s+(?:day\s+)?(?:of\s+)?(?P<month>{_MONTH})\b
    |(?-i:(?P<monthfirst>{_MONTH}))\s+(?P<dayafter>{_NUMBER})\b(?!\s*[:.]\d)
    |(?:on|upon|until|till|before|since|of|from|was|being|again\s+on|,)\s+the\s+(?P<alone>{_NUMBER}){_NO_NOUN}
    |(?P<feast>{alternation(map(re.escape, FEASTS))})\b
    |(?:in|of|since|until|till|by|last|early|late|that)\s+
       (?-i:(?P<only>{_MONTH}))\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_YEAR = re.compile(r",?\s+(?:of\s+)?(1\d{3}|20\d{2})\b")


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day as far as it is told; ``weekday`` is 0 on Monday, ``said`` is ``text[start:end]``."""

    year: int | None
    month: int | None
    day: int | None
    weekday: int | None
    start: int
    end: int
    said: str

    def days_apart(self, other: CalendarDay) -> float:
        """Days between two days, roughly; 0 where both may be the same."""
        if self.year and other.year and self.year != other.year:
            return 365.0
        if self.month and other.month and self.month != other.month:
            between = abs(_day_of_year(self) - _day_of_year(other))
            return max(1.0, min(between, 365 - between))
        if self.day and other.day and self.day != other.day:
            return float(abs(self.day - other.day))
        if self.weekday is None or other.weekday is None:
            return 0.0
        steps = abs(self.weekday - other.weekday)
        return float(min(steps, 7 - steps))


def _day_of_year(day: CalendarDay) -> float:
    """Days since New Year, roughly; in the middle of a month that is told alone."""
    return 30.4 * ((day.month or 1) - 1) + (day.day or 15)


def find_calendar_days(text: str) -> Iterator[CalendarDay]:
    """Every date, weekday and feast in a text.

    >>> (day,) = find_calendar_days("It sank on Friday, the third of May.")
    >>> day.month, day.day, day.weekday
    (5, 3, 4)
    """
    for match in _DAY.finditer(text):
        group = match.groupdict()
        number = group["after"] or group["day"] or group["dayafter"] or group["alone"]
        name = group["aftermonth"] or group["month"] or group["monthfirst"] or group["only"]
        day = number_of_day(number.lower()) if number else None
        if day is not None and day > 31:
            continue
        month = MONTHS.index(name.title()) + 1 if name else None
        if group["feast"]:
            month, day = FEASTS[group["feast"].lower()]
        year = _YEAR.match(text, match.end()) if name else None
        end = year.end() if year else match.end()
        yield CalendarDay(
            year=int(year[1]) if year else None,
            month=month,
            day=day,
            weekday=WEEKDAYS.index(group["weekday"].lower()) if group["weekday"] else None,
            start=match.start(),
            end=end,
            said=text[match.start() : end],
        )
