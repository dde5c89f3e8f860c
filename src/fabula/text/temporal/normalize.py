"""Drafts in, TIMEX3 values out, against the document's date and the time last spoken of.

The strategies are HeidelTime's (Stroetgen and Gertz 2013). News: what leaves something open is
told from the document's date, forwards or backwards by the tense. Narrative: from the time the
text last spoke of. What neither decides stays open (``XXXX-05-03``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from fabula.text.temporal.calendar_values import (
    SEASON_MONTHS,
    add_months,
    days_of_years,
    holiday,
    iso_week,
    shifted_value,
)
from fabula.text.temporal.grammar.draft import Draft, Spec
from fabula.text.temporal.grammar.durations import duration_value
from fabula.text.temporal.lexicon import HALF_DAY, HOLIDAYS

__all__ = [
    "Timeframe", "is_of_another_night", "is_of_told_night", "is_open_day", "value_of",
    "with_half_of_day",
]  # fmt: skip

_HALVES = {"MO": "am", "AF": "pm", "EV": "pm", "NI": "pm"}

# Days before the document from which a weekday is told from the story and not from the document.
_LONG_AGO = 7
_SMALL_HOURS = 6 * 60
_EVENING = 18 * 60
_STAND_IN = 2000  # for an unknown year, in which days are counted: a leap year
_OPEN_DAY = re.compile(r"XXXX-\d\d-\d\d")
_OPEN = {
    "D": "XXXX-XX-XX", "W": "XXXX-WXX", "WE": "XXXX-WXX-WE", "FN": "XXXX-WXX", "M": "XXXX-XX",
    "Q": "XXXX-QX", "Y": "XXXX", "DE": "XXX", "CE": "XX",
}  # fmt: skip


@dataclass(slots=True)
class Timeframe:
    """What a text's times are told from; ``reference`` is the value last spoken of.

    In news that is a day on which something happened; ``spoken`` is any date, a year too, from
    which "a year later" is told; ``nights`` the last evening or night ("Tuesday night").
    ``document`` is the document's date, None where it is unknown or only a year (``year``).
    """

    document: date | None = None
    year: int | None = None
    narrative: bool = False
    reference: str = ""
    spoken: str = ""
    nights: str = ""

    @property
    def reference_day(self) -> date | None:
        """The day last spoken of, where it is known to the day."""
        return _day(self.reference)

    @property
    def reference_year(self) -> int | None:
        if self.reference[:4].isdigit() and len(self.reference) >= 4:
            return int(self.reference[:4])
        return self.year

    @property
    def elsewhere(self) -> bool:
        """Whether the text last spoke of another month than the document's."""
        spoken, written = self.spoken, self.document
        return len(spoken) == 7 and (written is None or spoken != written.isoformat()[:7])

    def base(self, anchor: str) -> date | None:
        """The day that ``anchor`` stands for."""
        if anchor == "narrative" or self.narrative:
            return self.reference_day
        return self.document


def with_half_of_day(draft: Draft, reference: str) -> Draft:
    """A clock time alone, before or after noon as the part of the day last spoken of says."""
    spec = draft.spec
    part = reference[-2:] if "T" in reference else ""
    if spec.clock is None or spec.half is not None or part not in _HALVES or _has_day(spec):
        return draft
    half = _HALVES[part] if part != "NI" or spec.clock >= 6 * 60 else "am"
    minutes = spec.clock % HALF_DAY + (HALF_DAY if half == "pm" else 0)
    return replace(draft, spec=replace(spec, clock=minutes, half=half))


def _has_day(spec: Spec) -> bool:
    return bool(spec.value or spec.unit or spec.holiday) or (spec.day, spec.weekday) != (None, None)


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if len(value) >= 10 else None
    except ValueError:
        return None


def value_of(draft: Draft, frame: Timeframe, tense: str = "") -> str:
    """The TIMEX3 value of a draft; X for every digit that nothing decides.

    ``tense`` is that of the clause: "past", "future", "present" or unknown.
    """
    year_open = is_open_day(frame.reference) and _is_counted_in_days(draft.spec)
    if year_open:
        frame = replace(frame, reference=f"{_STAND_IN}{frame.reference[4:]}")
    try:
        value = _value(draft, frame, tense)
    except (ValueError, OverflowError):  # beyond the calendar
        return "XXXX-XX-XX"
    near = year_open and value[:4].isdigit() and abs(int(value[:4]) - _STAND_IN) <= 1
    return f"XXXX{value[4:]}" if near else value


def is_open_day(value: str) -> bool:
    """Whether a value is a day of an unknown year, at whatever hour."""
    return _OPEN_DAY.match(value) is not None


def _is_counted_in_days(spec: Spec) -> bool:
    """A clock time, or a shift by days or hours: what a day of an unknown year is enough for."""
    named = spec.value or spec.holiday or spec.season or spec.weekday is not None
    dated = spec.year is not None or spec.month is not None or spec.day is not None
    return not (named or dated) and (spec.unit in ("", "D") or spec.unit.startswith("T"))


def _value(draft: Draft, frame: Timeframe, tense: str) -> str:
    spec = draft.spec
    if spec.value:
        return spec.value + _time(spec)
    if spec.unit and spec.shift is None and not spec.weekday:
        return spec.anchor  # "some days later": how many, nobody knows
    if spec.holiday:
        return _holiday(spec, frame, tense) + _time(spec)
    if spec.season:
        return _season(spec, frame, tense)
    if spec.month is not None or spec.day is not None:
        return _calendar(draft, frame, tense) + _time(spec)
    if spec.weekday is not None:
        return _weekday(spec, frame, tense) + _time(spec)
    if spec.unit:
        return _shifted(draft, frame, tense)
    # A clock time alone is of the day last spoken of.
    base = frame.reference_day or (None if frame.narrative or frame.elsewhere else frame.document)
    if is_of_another_night(draft, frame):
        base = _day(frame.nights)
    if base is not None and _is_past_midnight(spec, frame):
        base += timedelta(days=1)
    return (base.isoformat() if base else "XXXX-XX-XX") + _time(spec)


def is_of_another_night(draft: Draft, frame: Timeframe) -> bool:
    """Whether "9.05 p.m." is of the night a report spoke of, and not of the day after it, of which
    it spoke last."""
    spec = draft.spec
    if frame.narrative or _has_day(spec) or spec.clock is None or spec.half != "pm":
        return False
    night, last = _day(frame.nights), frame.reference_day
    if night is None or last is None or spec.clock < _EVENING or (last - night).days != 1:
        return False
    time = frame.reference.partition("T")[2]
    return time in ("MO", "MI") or (time[:2].isdigit() and int(time[:2]) < _EVENING // 60)


def is_of_told_night(draft: Draft, frame: Timeframe) -> bool:
    """Whether "that night" is the night a report spoke of, and not of a day told since."""
    if frame.narrative or "that part" not in draft.marks or "T" in frame.reference:
        return False
    night, last = _day(frame.nights), frame.reference_day
    return draft.spec.part in ("EV", "NI") and night is not None and last is not None


def _is_past_midnight(spec: Spec, frame: Timeframe) -> bool:
    """ "at two in the night" after an afternoon or evening: of the day that follows."""
    if spec.clock is None or spec.half != "am" or spec.clock >= _SMALL_HOURS:
        return False
    time = frame.reference.partition("T")[2]
    return time in ("AF", "EV", "NI") or (time[:2].isdigit() and int(time[:2]) >= 12)


def _time(spec: Spec) -> str:
    if spec.clock is not None:
        zone = "Z" if spec.zone in ("gmt", "utc") else ""
        return f"T{spec.clock // 60:02d}:{spec.clock % 60:02d}{zone}"
    return f"T{spec.part}" if spec.part else ""


def _nearest(choices: list[date], base: date, tense: str, direction: str) -> date:
    """Of the days a name may mean, the one that direction and tense allow, nearest to the base."""
    if direction == "last":
        choices = [day for day in choices if day < base] or choices
    elif direction == "next":
        choices = [day for day in choices if day > base] or choices
    elif tense == "past":
        choices = [day for day in choices if day <= base] or choices
    elif tense == "future":
        choices = [day for day in choices if day >= base] or choices
    return min(choices, key=lambda day: (abs((day - base).days), day))


def _holiday(spec: Spec, frame: Timeframe, tense: str) -> str:
    if spec.year is not None:
        return holiday(spec.holiday, spec.year).isoformat()
    base = frame.base("document")
    if base is not None:
        days = [holiday(spec.holiday, base.year + shift) for shift in (-1, 0, 1)]
        return _nearest(days, base, tense, spec.direction).isoformat()
    if (year := frame.reference_year) is not None:
        return holiday(spec.holiday, year).isoformat()
    fixed = isinstance(HOLIDAYS[spec.holiday], tuple)
    return f"XXXX{holiday(spec.holiday, _STAND_IN).isoformat()[4:]}" if fixed else "XXXX-XX-XX"


def _season(spec: Spec, frame: Timeframe, tense: str) -> str:
    base, first = frame.base("document"), SEASON_MONTHS[spec.season][0]
    if base is None:
        year = frame.reference_year
        return f"{'XXXX' if year is None else f'{year:04d}'}-{spec.season}"
    starts = [date(base.year + shift, first, 1) for shift in (-1, 0, 1)]
    if spec.direction == "last":
        starts = [day for day in starts if add_months(day, 3) <= base]
        return f"{starts[-1].year:04d}-{spec.season}"
    if spec.season[0] in "QH" or (spec.direction == "this" and tense != "past"):
        return f"{base.year:04d}-{spec.season}"
    return f"{_nearest(starts, base, tense, spec.direction).year:04d}-{spec.season}"


def _calendar(draft: Draft, frame: Timeframe, tense: str) -> str:
    """A month with or without a day and year, or a day alone."""
    spec = draft.spec
    base = frame.base("document")
    if spec.year is not None:
        month, day = spec.month or 1, spec.day
        if day is not None and "day or month first" in draft.marks and frame.document:
            swapped, written = date(spec.year, day, month), date(spec.year, month, day)
            if abs(swapped - frame.document) < abs(written - frame.document):
                month, day = day, month
        return f"{spec.year:04d}-{month:02d}" + ("" if day is None else f"-{day:02d}")
    if spec.month is None:
        return _day_of_month(spec.day or 1, frame, tense)
    if base is None or frame.narrative:
        year = frame.reference_year
        text = "XXXX" if year is None else f"{year:04d}"
        return f"{text}-{spec.month:02d}" + ("" if spec.day is None else f"-{spec.day:02d}")
    if spec.day is None:
        return _month(spec, base, tense)
    near = (base.year - 1, base.year, base.year + 1)
    days = days_of_years(near, spec.month, spec.day) or days_of_years(  # 29 February
        range(base.year - 8, base.year + 9), spec.month, spec.day
    )
    if not days:
        return f"XXXX-{spec.month:02d}-{spec.day:02d}"
    return _nearest(days, base, tense, spec.direction).isoformat()


def _month(spec: Spec, base: date, tense: str) -> str:
    month, year = spec.month or 1, base.year
    if spec.direction == "last":
        year -= month >= base.month
    elif spec.direction == "next":
        year += month <= base.month
    elif spec.direction != "this":
        if tense == "future":
            year += month < base.month
        elif tense == "past" or month - base.month > 6:
            year -= month > base.month
    return f"{year:04d}-{month:02d}"


def _day_of_month(day: int, frame: Timeframe, tense: str) -> str:
    if len(frame.reference) >= 7 and frame.reference[5:7].isdigit():
        return f"{frame.reference[:7]}-{day:02d}"
    base = frame.base("document")
    if base is None:
        return f"XXXX-XX-{day:02d}"
    days = []
    for shift in (-1, 0, 1):
        month = add_months(base.replace(day=1), shift)
        try:
            days.append(month.replace(day=day))
        except ValueError:
            continue
    return _nearest(days, base, tense, "").isoformat()


def _weekday(spec: Spec, frame: Timeframe, tense: str) -> str:
    weekday = spec.weekday or 0
    base = frame.base(spec.anchor)
    if base is None:
        shift = (spec.shift or 0) if spec.unit == "D" else 0
        return f"XXXX-WXX-{(weekday + shift) % 7 + 1}"
    if spec.unit == "W":
        monday = base - timedelta(days=base.weekday()) + timedelta(weeks=spec.shift or 0)
        return (monday + timedelta(days=weekday)).isoformat()
    told = frame.reference_day
    if not spec.direction and told is not None and (base - told).days >= _LONG_AGO:
        return (told + timedelta(days=(weekday - told.weekday()) % 7)).isoformat()
    back, ahead = (base.weekday() - weekday) % 7, (weekday - base.weekday()) % 7
    if spec.anchor == "narrative" or (
        frame.narrative and spec.direction not in ("last", "previous")
    ):
        days = -(back or 7) if spec.direction == "last" else ahead
        if spec.direction in ("following", "next") and not days:
            days = 7
    elif spec.direction == "last":
        days = -(back or 7)
    elif spec.direction == "next":
        days = ahead or 7
    elif spec.direction == "this":
        days = weekday - base.weekday()
    else:
        days = ahead if tense in ("future", "present") else -back
    day = base + timedelta(days=days)
    if spec.unit == "W+":
        day = base + timedelta(days=ahead or 7) + timedelta(weeks=spec.shift or 0)
    elif spec.unit == "D":
        day += timedelta(days=spec.shift or 0)
    return day.isoformat()


def _shifted(draft: Draft, frame: Timeframe, tense: str) -> str:
    spec = draft.spec
    shift, unit = spec.shift or 0, spec.unit
    base = _day(frame.nights) if is_of_told_night(draft, frame) else frame.base(spec.anchor)
    if base is None and not frame.narrative and (_time(spec) or unit.startswith("T")) and not shift:
        base = frame.document  # an hour or a part of the day, of no day the text spoke of
    if unit.startswith("T"):
        return _hours(spec, frame, base or (None if frame.narrative else frame.document))
    time = _time(spec)
    if unit in ("Y", "M", "DE") and spec.anchor == "narrative" and len(frame.spoken) < 10:
        base = None if frame.spoken else base
    if base is None:
        return _coarse(spec, frame) or _distance(draft) or _OPEN[unit] + time
    if unit == "D" and not shift and _is_past_midnight(spec, frame):
        base += timedelta(days=1)
    if "nearest weekend" in draft.marks:
        monday = base - timedelta(days=base.weekday())
        past = tense == "past" and base.weekday() < 5
        return iso_week(monday - timedelta(days=7 * past)) + "-WE"
    return shifted_value(base, unit, shift, spec.exact) + (time if unit == "D" else "")


def _distance(draft: Draft) -> str:
    """ "four days earlier" than nobody knows what: how far, as a length."""
    spec = draft.spec
    counted = "named" not in draft.marks and draft.last - draft.first > 2
    counted = counted or abs(spec.shift or 0) > 1
    if spec.part or spec.clock is not None or spec.anchor != "narrative" or not counted:
        return ""
    return duration_value(abs(spec.shift or 0), spec.unit)


def _coarse(spec: Spec, frame: Timeframe) -> str:
    """A shift by months or years from a time that is known no more finely."""
    value = frame.spoken if spec.anchor == "narrative" or frame.narrative else ""
    year = int(value[:4]) if value[:4].isdigit() and len(value) >= 4 else None
    if year is None and spec.anchor == "document":
        year = frame.year
    if year is None:
        return ""
    if spec.unit == "Y":
        return f"{year + (spec.shift or 0):04d}"
    if spec.unit == "M" and value[5:7].isdigit():
        return shifted_value(date(year, int(value[5:7]), 1), "M", spec.shift or 0)
    return ""


def _hours(spec: Spec, frame: Timeframe, base: date | None) -> str:
    """Hours and minutes from a clock time; without one, the same day at an unknown hour."""
    minutes = (spec.shift or 0) * {"TH": 60, "TM": 1, "TS": 0}[spec.unit]
    told = frame.reference
    if (
        spec.anchor == "narrative"
        and base is not None
        and "T" in told
        and told[11:16].count(":") == 1
    ):
        hours = told[11:16]
        if hours.replace(":", "").isdigit():
            total = int(hours[:2]) * 60 + int(hours[3:5]) + minutes
            day = base + timedelta(days=total // 1440)
            return f"{day.isoformat()}T{total % 1440 // 60:02d}:{total % 60:02d}"
    return (base.isoformat() if base else "XXXX-XX-XX") + "TXX:XX"
