"""Clock times without a date, placed on one line of hours."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.ordering.features.weekday_spans import possible_first_days
from fabula.text.temporal.expressions import Moment
from fabula.text.temporal.lexicon import DAY, HALF_DAY

__all__ = ["clock_offsets"]


def clock_offsets(moments: Sequence[Moment], days: Sequence[int | None] = ()) -> list[int | None]:
    """Minutes from the first clock time of a story to each other one, over midnight if need be.

    The first time is the one from which all others follow within the shortest span: a time that
    may be before or after noon follows within twelve hours, and one with a weekday (``days``, 0 is
    Monday) on that day. None where there is no clock time.
    """
    days = days or [None] * len(moments)
    clocks = [None if m.clock is None else (m.clock % DAY, m.half is not None) for m in moments]
    if sum(clock is not None for clock in clocks) < 2:
        return [None if clock is None else 0 for clock in clocks]
    first = next((day for _, day in possible_first_days(days)), 0)
    starts = {
        half
        for clock, day in zip(clocks, days, strict=True)
        if clock is not None and day in (None, first)
        for half in (
            [clock[0]] if clock[1] else [clock[0] % HALF_DAY, clock[0] % HALF_DAY + HALF_DAY]
        )
    }

    def offset(clock: tuple[int, bool] | None, day: int | None, start: int) -> int | None:
        if clock is None:
            return None
        if day is not None and clock[1]:
            return (day - first) % 7 * DAY + clock[0] - start
        return (clock[0] - start) % (DAY if clock[1] else HALF_DAY)

    def offsets(start: int) -> list[int | None]:
        return [offset(c, d, start) for c, d in zip(clocks, days, strict=True)]

    def cost(start: int) -> tuple[int, int, int]:
        known = [o for o in offsets(start) if o is not None]
        # Between equals, a day begins in the morning.
        return sum(o < 0 for o in known), max(known), abs(start - 6 * 60)

    return offsets(min(sorted(starts), key=cost)) if starts else [None] * len(clocks)
