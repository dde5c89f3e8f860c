"""Calendar arithmetic on TIMEX3 values: weeks, seasons, feasts, shifts by units."""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from datetime import date, timedelta

from fabula.text.temporal.lexicon import HOLIDAYS

__all__ = [
    "SEASON_MONTHS", "add_months", "days_of_years", "easter", "holiday", "iso_week",
    "shifted_value",
]  # fmt: skip

# First and last month of what a TIMEX3 value names after the year; winter ends in the next year.
SEASON_MONTHS = {
    "SP": (3, 5), "SU": (6, 8), "FA": (9, 11), "WI": (12, 14), "H1": (1, 6), "H2": (7, 12),
    **{f"Q{n}": (3 * n - 2, 3 * n) for n in range(1, 5)},
}  # fmt: skip


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm).

    >>> easter(2024)
    datetime.date(2024, 3, 31)
    """
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return date(year, month, day + 1)


def holiday(name: str, year: int) -> date:
    """The day of a feast in a year.

    >>> holiday("thanksgiving", 2023), holiday("christmas eve", 2000)
    (datetime.date(2023, 11, 23), datetime.date(2000, 12, 24))
    """
    rule = HOLIDAYS[name]
    if not isinstance(rule, str):
        return date(year, *rule)
    if rule.startswith("easter"):
        return easter(year) + timedelta(days=int(rule.removeprefix("easter")))
    place, _, more = rule.partition("+")
    month, weekday, nth = map(int, place.split("/"))
    days = [
        d
        for d in range(1, calendar.monthrange(year, month)[1] + 1)
        if date(year, month, d).weekday() == weekday
    ]
    return date(year, month, days[nth - 1 if nth > 0 else nth]) + timedelta(days=int(more or 0))


def iso_week(day: date) -> str:
    """ "2013-W29" for a day of that week."""
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


def add_months(day: date, months: int) -> date:
    """The same day of another month, or its last day where there is no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def days_of_years(years: Iterable[int], month: int, day: int) -> list[date]:
    """The day of a month in each of the years that have it."""
    found = []
    for year in years:
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    return found


def shifted_value(base: date, unit: str, shift: int, exact: bool = False) -> str:
    """The value of ``shift`` units from a day, as coarse as the unit.

    >>> shifted_value(date(2013, 7, 22), "W", -1), shifted_value(date(2013, 7, 22), "Y", -2)
    ('2013-W29', '2011')
    """
    if unit == "D":
        return (base + timedelta(days=shift)).isoformat()
    if unit in ("W", "FN"):
        day = base + timedelta(weeks=shift * (2 if unit == "FN" else 1))
        return day.isoformat() if exact else iso_week(day)
    if unit == "WE":
        return iso_week(base + timedelta(weeks=shift)) + "-WE"
    if unit == "M":
        day = add_months(base, shift)
        return day.isoformat() if exact else f"{day.year:04d}-{day.month:02d}"
    if unit == "Q":
        day = add_months(base, 3 * shift)
        return f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}"
    year = base.year + shift * {"Y": 1, "DE": 10, "CE": 100}[unit]
    if not 1 <= year <= 9999:
        raise ValueError(f"{shift} {unit} from {base} is beyond the calendar")
    if unit == "DE":
        return f"{year // 10:03d}"
    if unit == "CE":
        return f"{year // 100:02d}"
    return add_months(base, 12 * shift).isoformat() if exact else f"{year:04d}"
