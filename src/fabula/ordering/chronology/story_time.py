"""When a sentence's event happened, within its story: a value with its interval, source and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from fabula.text.temporal.interval import Interval, edtf_of
from fabula.text.temporal.lexicon import DAY

__all__ = ["StoryTime", "edtf_when", "value_at"]

_STAND_IN = 2000  # for an unknown year: a leap year


@dataclass(frozen=True, slots=True)
class StoryTime:
    """When a sentence's event happened: TIMEX3 ``value``, ``interval``, ``source`` and why.

    ``source`` is told, relative, document or guess; empty, as the value, where nothing is known.
    ``planned``: it is told as something to come.
    """

    value: str = ""
    interval: Interval | None = None
    source: str = ""
    why: str = ""
    half_known: bool = True
    about: bool = False
    planned: bool = False


def edtf_when(time: StoryTime) -> str | None:
    """A sentence's time in EDTF; None where no date is known."""
    if not time.value:
        return None
    return edtf_of(
        time.value,
        half_known=time.half_known,
        guessed=time.source in ("guess", "document") or time.planned,
        about=time.about,
    )


def value_at(interval: Interval) -> str:
    """The TIMEX3 value of an interval's start, as fine as its level.

    >>> value_at(Interval(4 * DAY + 600, 4 * DAY + 600, "minute", "week"))
    'XXXX-WXX-5T10:00'
    """
    days, minutes = divmod(interval.earliest, DAY)
    clock = f"T{minutes // 60:02d}:{minutes % 60:02d}" if interval.level == "minute" else ""
    if interval.level == "part of day":
        hour = minutes // 60
        clock = "T" + ("MO" if hour < 11 else "AF" if hour < 17 else "EV" if hour < 18 else "NI")
    if interval.frame == "week":
        return f"XXXX-WXX-{days % 7 + 1}{clock}"
    if interval.frame == "date":
        return date.fromordinal(max(days, 1)).isoformat() + clock
    if interval.frame == "year":
        day = date(_STAND_IN, 1, 1) + timedelta(days=days)
        return f"XXXX{day.isoformat()[4:]}{clock}"
    return f"XXXX-XX-XX{clock}"
