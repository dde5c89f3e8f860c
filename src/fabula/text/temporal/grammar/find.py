"""A sentence's tokens in, drafts of its time expressions out: all patterns, the longest match wins.

Neighbouring drafts that are one expression ("8:30 p.m. on Thursday", "today (14 October)") are
joined.
"""

from __future__ import annotations

import re
from dataclasses import replace

from fabula.text.lexicon import CARDINALS
from fabula.text.temporal.grammar import clocks, dates, durations, periods, references, relative
from fabula.text.temporal.grammar.draft import NOT_A_TIME, Draft, Spec
from fabula.text.temporal.grammar.tokens import TokenLine
from fabula.text.temporal.lexicon import (
    HALF_DAY,
    HOLIDAYS,
    MONTH_NUMBERS,
    PART_CODES,
    SEASONS,
    UNITS,
    WEEKDAY_NUMBERS,
)

__all__ = ["find_drafts"]

RULES = (
    *dates.RULES,
    *periods.RULES,
    *clocks.RULES,
    *relative.RULES,
    *durations.RULES,
    *references.RULES,
)
_TRIGGERS = frozenset(
    (
        *MONTH_NUMBERS, *WEEKDAY_NUMBERS, *UNITS, *PART_CODES, *SEASONS, *CARDINALS,
        *(name.split()[0].split("'")[0] for name in HOLIDAYS),
        *(f"{day}s" for day in WEEKDAY_NUMBERS),
        *"""today yesterday tomorrow tonight noon midday midnight now currently presently nowadays
        recently recent past future lately present moment annual annually daily weekly monthly
        yearly hourly nightly quarterly late hundred fortnightly biannual biennial""".split(),
    )
)  # fmt: skip
_DIGIT = re.compile(r"\d")
# What may stand between a clock time and its day, and between a day and its clock time.
_CLOCK_DAY = {"", "on", ",", "of", "on the", "in", "the", ", on", "local time on", "local time ,"}
_DAY_CLOCK = {
    "", "at", ",", ", at", "at about", "from", "@", "- ", "-", "at around", "| updated", ") at",
    "just before", "just after", "shortly before", "shortly after",
}  # fmt: skip
_PART_DAY = {"of", "on", "", "of the", ","}


def find_drafts(line: TokenLine) -> list[Draft]:
    """The drafts of one sentence, in the order of the text, not overlapping."""
    if not _DIGIT.search(line.line) and _TRIGGERS.isdisjoint(line.line.split(" ")):
        return []
    candidates = [
        (draft.first - draft.last, number, draft)
        for number, rule in enumerate(RULES)
        for draft in rule.drafts(line)
    ]
    candidates.sort(key=lambda candidate: candidate[:2])
    taken = bytearray(len(line.words) + 1)
    drafts = []
    for _, _, draft in candidates:
        if not any(taken[draft.first : draft.last]):
            taken[draft.first : draft.last] = b"\1" * (draft.last - draft.first)
            drafts.append(draft)
    drafts.sort(key=lambda draft: draft.first)
    return _join(line, [draft for draft in drafts if draft.type != NOT_A_TIME])


def _join(line: TokenLine, drafts: list[Draft]) -> list[Draft]:
    joined: list[Draft] = []
    for draft in drafts:
        while joined and (both := _both(line, joined[-1], draft)) is not None:
            joined.pop()
            draft = both
        joined.append(draft)
    return joined


def _both(line: TokenLine, one: Draft, two: Draft) -> Draft | None:
    """Two neighbours as one expression; None where they are two."""
    if two.first - one.last > 3 or {one.type, two.type} & {"DURATION", "SET"}:
        return None
    between = " ".join(line.word(i) for i in range(one.last, two.first))
    a, b = one.spec, two.spec
    marks = (one.marks | two.marks) - {"bare part", "bare hour"}

    def joined(spec: Spec, type_: str) -> Draft:
        return Draft(one.first, two.last, type_, spec, mod=one.mod or two.mod, marks=marks)

    if a.unit == "D" and a.clock is None and not a.part and b.day is not None:
        if between in (",", ""):  # "tomorrow, 10 November, at 10.30"
            return joined(b, two.type)
    elif a.clock is not None and "bare part" in two.marks and _is_day(replace(a, clock=None)):
        if between in ("", ","):  # "13 January at three in the afternoon"
            return joined(_with_clock(replace(a, clock=None, part=b.part), a), "TIME")
    elif a.clock is not None and b.clock is None and _is_day(b):
        if between in _CLOCK_DAY or ("bare part" in two.marks and between == ""):
            return joined(_with_clock(b, a), "TIME")
    elif b.clock is not None and a.clock is None and _is_day(a) and between in _DAY_CLOCK:
        return joined(_with_clock(a, b), "TIME")
    elif between in ("(", "[", "- (") and _is_day(a) and _is_dated(b) and a.clock is None:
        part = a.part or b.part
        spec = replace(b, part=part)
        return joined(spec, "TIME" if part or b.clock is not None else "DATE")
    elif "bare part" in one.marks and between in _PART_DAY and _is_day(b) and not b.part:
        return joined(replace(b, part=a.part), "TIME")
    elif "bare part" in two.marks and between in ("", ",") and _is_day(a) and not a.part:
        return joined(replace(a, part=b.part), "TIME")
    elif a.part and not a.part.startswith("X") and b.day is not None and between in ("", ","):
        return joined(replace(b, part=a.part), "TIME")
    elif a.weekday is not None and a.day is None and b.day is not None and between in (",", ""):
        return joined(replace(b, weekday=a.weekday), two.type)
    return None


def _is_day(spec: Spec) -> bool:
    if spec.clock is not None or (spec.value and len(spec.value) != 10):
        return False
    return bool(
        spec.day is not None
        or spec.weekday is not None
        or spec.holiday
        or spec.unit == "D"
        or (len(spec.value) == 10 and spec.value[4] == "-")
    )


def _is_dated(spec: Spec) -> bool:
    return spec.day is not None or len(spec.value) == 10


def _with_clock(day: Spec, clock: Spec) -> Spec:
    """A day with a clock time; its part of the day says whether that is am or pm."""
    minutes, half = clock.clock or 0, clock.half
    if half is None and day.part:
        half = "am" if day.part == "MO" or (day.part == "NI" and minutes < 6 * 60) else "pm"
        minutes = minutes % HALF_DAY + (HALF_DAY if half == "pm" else 0)
    spec = replace(day, clock=minutes, half=half, zone=clock.zone)
    small_hours = day.part == "NI" and half == "am" and day.shift is None
    return spec if small_hours else replace(spec, part="")
