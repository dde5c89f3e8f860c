"""When a unit says it happens: dates and clock times in the text, and how two of them compare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["KINDS", "Moment", "earlier", "moment_of", "time_signs"]

KINDS = ("year", "month", "day", "clock", "half", "clock of another half")

_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: number for number, name in enumerate(_MONTHS.split(), 1)}
_SMALL = "one two three four five six seven eight nine ten eleven twelve"
_HOURS = {name: number for number, name in enumerate(_SMALL.split(), 1)}
_STEPS = {"five": 5, "ten": 10, "a quarter": 15, "quarter": 15, "twenty": 20, "half": 30}
_STEPS |= {"twenty-five": 25}

_TENS = "first second third fourth fifth sixth seventh eighth ninth".split()
_ORDINALS = [*_TENS, *(
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
    "nineteenth twentieth"
).split(), *(f"twenty-{day}" for day in _TENS), "thirtieth", "thirty-first"]  # fmt: skip
_DAYS = {name: number for number, name in enumerate(_ORDINALS, 1)}

_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_DAY = rf"\d{{1,2}}(?:st|nd|rd|th)?|{'|'.join(sorted(_DAYS, key=len, reverse=True))}"
# "March" and "May" are months only when they are written as names.
_DATED = re.compile(
    rf"\b(?:({_DAY})\s+(?:of\s+)?)?({_MONTHS.title().replace(' ', '|')})\b"
    rf"(?:\s+(?:the\s+)?({_DAY})\b)?"
)
_HOUR_WORD = "|".join([*_HOURS, *map(str, range(1, 13))])
_ABOUT = r"(?:at|by|until|before|after|towards|about|around)\s+"
# "At one the bell rang" tells a time, "at one roof" and "by six men" do not.
_NO_NOUN = (
    r"(?=\s*(?:[^\w\s](?!\d)|$)|\s+(?:o['’]clock|a|an|the|this|that|these|those|my|our|your|his|her|its|their"
    r"|i|we|you|he|she|it|they|there|and|but|or|in|on|at|by|for|from|to|with|when|while|until|sharp"
    r"|every|each|all|both|some|no|not|precisely|exactly|tonight|yesterday|today|as|after|before"
    r"|because|since|so|then|was|were|is|had|came|(?-i:[A-Z])\w*)\b)"
)
_MINUTES, _HALF = r"([0-5]\d)(?=\b|[ap]\.?m\b)(?!\.\d)", r"(?:\s*([ap])\.?m\b)"
_AT = r"(?:at|by|until|till|before|after|towards|about|around|between|from|since)\s+(?:exactly\s+)?"
_UNIT = (
    r"(?!\s*(?:%|per\s?cent|points?|bits?|times|million|billion|[kmg]?hz|[cmk]?m|kg|seconds?|metres?"
    r"|meters?|miles?|tonnes?|tons?|degrees?|dollars?|euros?|(?-i:(?!(?:GMT|UTC|BST|CES?T|[ECMP][SD]?T)\b)[A-Z]{2,}|F1))(?:\W|$))"
)
_HOUR = r"([01]?\d|2[0-3])"
# With a point it is an hour after "at" and its like, before "am", with a nought, or where it opens
# an entry of a log ("17.24, dog on the runway"): else a number.
_DIGITAL = re.compile(
    rf"\b{_HOUR}:{_MINUTES}{_HALF}?|\b{_HOUR}\.{_MINUTES}{_HALF}"
    rf"|\b{_AT}{_HOUR}\.{_MINUTES}{_UNIT}{_HALF}?|\b(0\d)\.{_MINUTES}{_HALF}?"
    rf"|\A\s*{_HOUR}\.{_MINUTES}(?=[,;])()|\b{_HOUR}\.{_MINUTES}(?=:\s)()|\b(0?[1-9]|1[0-2])(){_HALF}",
    re.IGNORECASE,
)
# "By ten past nine" is ten past nine: the longer reading is tried first.
_SPOKEN = re.compile(
    rf"\b(?:(?:{_ABOUT})?({'|'.join(_STEPS)})(?:\s+minutes)?\s+(past|to)\s+({_HOUR_WORD})\b"
    rf"|{_ABOUT}({_HOUR_WORD})\b{_NO_NOUN}(?:\s+o['’]clock)?"
    rf"|({_HOUR_WORD})\s+o['’]clock)",
    re.IGNORECASE,
)
_FIXED = re.compile(r"\b(noon|midday|midnight)\b", re.IGNORECASE)
_MORNING = re.compile(r"\b(morning|dawn|breakfast|sunrise)\b", re.IGNORECASE)
_LATE = re.compile(r"\b(afternoon|evening|night|tonight|dusk|sunset)\b", re.IGNORECASE)
_HALF_DAY = 12 * 60


@dataclass(frozen=True, slots=True)
class Moment:
    """What a unit tells of its time. ``half`` is "am", "pm", or None where nothing says."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    clock: int | None = None  # minutes after midnight, or after the last noon where half is None
    half: str | None = None


def moment_of(text: str) -> Moment:
    """The first date and the first clock time of a unit.

    >>> moment_of("At half past two in the morning of 3 May 1911 the boat came in.")
    Moment(year=1911, month=5, day=3, clock=150, half='am')
    """
    year = _YEAR.search(text)
    dated = _DATED.search(text)
    month = _MONTH[dated[2].lower()] if dated else None
    day = next((_day(d) for d in (dated[1], dated[3]) if d), None) if dated else None
    clock, half = _clock(text)
    return Moment(int(year[1]) if year else None, month, day, clock, half)


def _clock(text: str) -> tuple[int | None, str | None]:
    told = "am" if _MORNING.search(text) else "pm" if _LATE.search(text) else None
    if found := _FIXED.search(text):
        return (24 * 60, "pm") if found[1].lower() == "midnight" else (_HALF_DAY, "pm")
    if found := _DIGITAL.search(text):
        groups = [found.groups(default="")[at : at + 3] for at in range(0, 21, 3)]
        digits, minutes, letter = next(some for some in groups if some[0])
        hour = int(digits)
        half = {"a": "am", "p": "pm"}.get(letter.lower())
        if half is None and (hour > 12 or digits.startswith("0")):
            half = "pm" if hour >= 12 else "am"
        return _on_the_clock(hour % 12 * 60 + int(minutes or 0), half or told)
    if found := _SPOKEN.search(text):
        hour = _hour(found[3] or found[4] or found[5])
        step = _STEPS[found[1].lower()] if found[1] else 0
        past = -step if (found[2] or "").lower() == "to" else step
        return _on_the_clock((hour % 12 * 60 + past) % _HALF_DAY, told)
    return None, None


def _day(word: str) -> int:
    return _DAYS.get(word) or int(word.rstrip("stndrh"))


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else _HOURS[word.lower()]


def _on_the_clock(minutes: int, half: str | None) -> tuple[int, str | None]:
    return (minutes + _HALF_DAY, half) if half == "pm" else (minutes, half)


def earlier(first: Moment, second: Moment) -> dict[str, float]:
    """How the evidence compares: for each kind, 1 if the first is earlier, -1 if it is later.

    >>> earlier(moment_of("In 1911 it rained."), moment_of("By 1914 it was dry."))
    {'year': 1.0}
    """
    found = {}
    if first.year is not None and second.year is not None and first.year != second.year:
        return {"year": _sign(first.year, second.year)}
    if first.month is not None and second.month is not None:
        one, two = (first.month, first.day or 0), (second.month, second.day or 0)
        if one[0] != two[0]:
            found["month"] = _sign(one[0], two[0])
        elif first.day and second.day and first.day != second.day:
            found["day"] = _sign(first.day, second.day)
    if not found and first.clock is not None and second.clock is not None:
        kind = "clock" if first.half == second.half else "clock of another half"
        if first.half and second.half and first.half != second.half:
            kind = "half"
        if first.clock != second.clock:
            found[kind] = _sign(first.clock, second.clock)
    return found


def _sign(first: int, second: int) -> float:
    return 1.0 if first < second else -1.0


def time_signs(units: Sequence[str]) -> NDArray[np.float64]:
    """n x n x 6: for each kind of evidence 1 where unit i is earlier than j, -1 where later."""
    moments = [moment_of(unit) for unit in units]
    told = [i for i, moment in enumerate(moments) if moment != Moment()]
    signs = np.zeros((len(units), len(units), len(KINDS)))
    for place, i in enumerate(told):
        for j in told[place + 1 :]:
            for kind, sign in earlier(moments[i], moments[j]).items():
                signs[i, j, KINDS.index(kind)] = sign
                signs[j, i, KINDS.index(kind)] = -sign
    return signs
