"""The first date and the first clock time of a sentence, as a partial moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fabula.text.lexicon import alternation
from fabula.text.temporal.lexicon import (
    AFTER_HOUR,
    DAY,
    DAY_NUMBER,
    HALF_DAY,
    HOURS,
    MONTH,
    MONTHS,
    PAST_OR_TO,
    half_of_day,
    number_of_day,
)

__all__ = ["Moment", "moment_of"]

_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
# "March" and "May" are months only when they are written as names.
_DATED = re.compile(
    rf"\b(?:({DAY_NUMBER})\s+(?:of\s+)?)?({MONTH})\b(?:\s+(?:the\s+)?({DAY_NUMBER})\b)?"
)
_HOUR_WORD = alternation([*HOURS, *map(str, range(1, 13))])
_ABOUT = r"(?:at|by|until|before|after|towards|about|around)\s+"
_NO_NOUN = rf"(?=\s*(?:[^\w\s](?!\d)|$)|\s+(?:{AFTER_HOUR}|these|those|yesterday|today)\b)"
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
    rf"\b(?:(?:{_ABOUT})?({alternation(PAST_OR_TO)})(?:\s+minutes)?\s+(past|to)\s+({_HOUR_WORD})\b"
    rf"|{_ABOUT}({_HOUR_WORD})\b{_NO_NOUN}(?:\s+o['’]clock)?"
    rf"|({_HOUR_WORD})\s+o['’]clock)",
    re.IGNORECASE,
)
_FIXED = re.compile(r"\b(noon|midday|midnight)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and a clock time as far as they are told; ``half`` is "am", "pm" or unknown."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    clock: int | None = None  # minutes after midnight, or after the last noon where half is None
    half: str | None = None


@lru_cache(maxsize=20_000)  # an account asks for the same sentence again and again
def moment_of(text: str) -> Moment:
    """The first date and the first clock time of a text.

    >>> moment_of("At half past two in the morning of 3 May 1911 the boat came in.")
    Moment(year=1911, month=5, day=3, clock=150, half='am')
    """
    year = _YEAR.search(text)
    dated = _DATED.search(text)
    month = MONTHS.index(dated[2]) + 1 if dated else None
    day = next((number_of_day(d) for d in (dated[1], dated[3]) if d), None) if dated else None
    clock, half = _clock(text)
    return Moment(int(year[1]) if year else None, month, day, clock, half)


def _clock(text: str) -> tuple[int | None, str | None]:
    """Minutes, and the half of the day: by the figures themselves, else by words like "dawn"."""
    if match := _FIXED.search(text):
        return (DAY, "pm") if match[1].lower() == "midnight" else (HALF_DAY, "pm")
    if match := _DIGITAL.search(text):
        groups = [match.groups(default="")[at : at + 3] for at in range(0, 21, 3)]
        digits, minutes, letter = next(group for group in groups if group[0])
        hour = int(digits)
        half = {"a": "am", "p": "pm"}.get(letter.lower())
        if half is None and (hour > 12 or digits.startswith("0")):
            half = "pm" if hour >= 12 else "am"
        return _from_midnight(hour % 12 * 60 + int(minutes or 0), half or half_of_day(text))
    if match := _SPOKEN.search(text):
        hour = _hour(match[3] or match[4] or match[5])
        past = PAST_OR_TO[match[1].lower()] if match[1] else 0
        if (match[2] or "").lower() == "to":
            past = -past
        return _from_midnight((hour % 12 * 60 + past) % HALF_DAY, half_of_day(text))
    return None, None


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else HOURS[word.lower()]


def _from_midnight(minutes: int, half: str | None) -> tuple[int, str | None]:
    return (minutes + HALF_DAY, half) if half == "pm" else (minutes, half)
