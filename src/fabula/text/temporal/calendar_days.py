"""Days told in a sentence: dates, weekdays and feasts, as far as each is told."""

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

__all__ = ["Day", "days_of"]

_NUMBER = rf"(?:{DAY_NUMBER})"
_MONTH = rf"(?:{MONTH})"
_NO_NOUN = rf"(?=\s*(?:[,;.!?:)]|$)|\s+(?:{AFTER_DAY})\b)"
_TOLD = re.compile(
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
class Day:
    """A day as far as it is told; ``weekday`` counts from Monday, 0."""

    year: int | None
    month: int | None
    day: int | None
    weekday: int | None
    start: int  # where in the text
    end: int
    said: str

    def apart(self, other: Day) -> float:
        """Days between the two, roughly; 0 where both may be the same day."""
        if self.year and other.year and self.year != other.year:
            return 365.0
        if self.month and other.month and self.month != other.month:
            between = abs(_in_year(self) - _in_year(other))
            return max(1.0, min(between, 365 - between))
        if self.day and other.day and self.day != other.day:
            return float(abs(self.day - other.day))
        if self.weekday is None or other.weekday is None:
            return 0.0
        steps = abs(self.weekday - other.weekday)
        return float(min(steps, 7 - steps))


def _in_year(day: Day) -> float:
    """Days since New Year, roughly; the middle of the month where only the month is told."""
    return 30.4 * ((day.month or 1) - 1) + (day.day or 15)


def days_of(text: str) -> Iterator[Day]:
    """Every day told in a text.

    >>> [(d.month, d.day, d.weekday) for d in days_of("It sank on Friday, the third of May.")]
    [(5, 3, 4)]
    """
    for found in _TOLD.finditer(text):
        part = found.groupdict()
        number = part["after"] or part["day"] or part["dayafter"] or part["alone"]
        month = part["aftermonth"] or part["month"] or part["monthfirst"] or part["only"]
        day = number_of_day(number.lower()) if number else None
        if number and (day is None or day > 31):
            continue
        in_year = MONTHS.index(month.title()) + 1 if month else None
        if part["feast"]:
            in_year, day = FEASTS[part["feast"].lower()]
        weekday = part["weekday"]
        year = _YEAR.match(text, found.end()) if month else None
        yield Day(
            year=int(year[1]) if year else None,
            month=in_year,
            day=day,
            weekday=WEEKDAYS.index(weekday.lower()) if weekday else None,
            start=found.start(),
            end=year.end() if year else found.end(),
            said=text[found.start() : year.end() if year else found.end()],
        )
