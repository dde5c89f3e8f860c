"""Clock times told without a date, read as one stretch of hours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabula.ordering.evidence import Moment

__all__ = ["unrolled", "weekday_of"]

_DAY = 24 * 60
_NOON = _DAY // 2
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = re.compile(
    rf"(?<!\buntil )(?<!\btill )(?<!\bbefore )\b({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE
)


def unrolled(moments: Sequence[Moment], days: Sequence[int | None] = ()) -> list[int | None]:
    """Minutes from the first clock time of a story to each, over midnight where need be.

    Which time is the first is not told. It is the one from which all others follow within the
    shortest span; a time without morning or evening follows within twelve hours, and one with a
    weekday (``days``, Monday is 0) on that day.
    """
    days = days or [None] * len(moments)
    clocks = [None if m.clock is None else (m.clock % _DAY, m.half is not None) for m in moments]
    if sum(clock is not None for clock in clocks) < 2:
        return [None if clock is None else 0 for clock in clocks]
    known = sorted({day for day in days if day is not None})
    first = min(known, key=lambda day: max((other - day) % 7 for other in known), default=0)
    starts = {
        half
        for clock, day in zip(clocks, days, strict=True)
        if clock is not None and day in (None, first)
        for half in ([clock[0]] if clock[1] else [clock[0] % _NOON, clock[0] % _NOON + _NOON])
    }

    def offset(clock: tuple[int, bool] | None, day: int | None, start: int) -> int | None:
        if clock is None:
            return None
        if day is not None and clock[1]:
            return (day - first) % 7 * _DAY + clock[0] - start
        return (clock[0] - start) % (_DAY if clock[1] else _NOON)

    def offsets(start: int) -> list[int | None]:
        return [offset(c, d, start) for c, d in zip(clocks, days, strict=True)]

    def cost(start: int) -> tuple[int, int, int]:
        found = [o for o in offsets(start) if o is not None]
        # Between equals, a day begins in the morning.
        return sum(o < 0 for o in found), max(found), abs(start - 6 * 60)

    return offsets(min(sorted(starts), key=cost)) if starts else [None] * len(clocks)


def weekday_of(text: str) -> int | None:
    """The weekday named in a text, Monday 0, if it names one only."""
    named = {word.lower() for word in _WEEKDAY.findall(text)}
    return _WEEKDAYS.index(named.pop()) if len(named) == 1 else None
