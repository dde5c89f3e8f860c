"""Times of day in a sentence, each as the interval of minutes it may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fabula.text.lexicon import APPROXIMATORS, alternation
from fabula.text.temporal.expressions import moment_of
from fabula.text.temporal.lexicon import (
    AFTER_HOUR,
    DAY,
    DAY_PARTS,
    HALF_DAY,
    HOURS,
    PAST_OR_TO,
    WEEKDAY,
    half_of_day,
)

__all__ = ["ClockTime", "find_clock_times"]

_HOUR = alternation(HOURS)
_STEP = rf"{alternation(step for step in PAST_OR_TO if ' ' not in step)}|\d{{1,2}}"
_NO_NOUN = rf"(?=\s*(?:[,;.!?:)]|$)|\s+(?:{AFTER_HOUR})\b)"
_EXACT = re.compile(
    rf"""
    (?P<digital>\b(?:[01]?\d|2[0-3])[:.][0-5]\d\b(?![.:,]?\d|\s*(?:%|million|billion|thousand|per)))
       (?:\s*[ap]\.?m\b)?
    |(?<!\S)(?P<military>0\d[0-5]\d)(?=[,;:.\s])
    |\b\d{{1,2}}\s*[ap]\.?m\b
    |\b(?:{_STEP})(?:\s+minutes)?\s+(?:past|to)\s+(?:{_HOUR}|noon|midnight|\d{{1,2}})\b
    |\b(?:{_HOUR}|\d{{1,2}})\s+o['’]clock\b
    |\b(?:{_HOUR})(?=\s+(?:in\s+the\s+(?:morning|afternoon|evening)|at\s+night)\b)
    |(?<=\bat\s)\d{{1,2}}(?=\s+(?:on\s+(?:{WEEKDAY})|in\s+the\s+(?:morning|afternoon|evening)
       |at\s+night)\b)
    |(?P<half>(?<=\bat\s)half)\s+(?:{_HOUR})\b
    |(?<=\s)(?<!\bfor\s)(?:noon|midday|midnight)\b
    |(?:(?<=\bat\s)|(?<=\bby\s)|(?<=\btill\s)|(?<=\buntil\s)|(?<=\bbefore\s)|(?<=\bafter\s)
      |(?<=\btowards\s)|(?<=\babout\s)|(?<=\baround\s)|(?<=\bpast\s)|(?<=\bgone\s)|(?<=\bfrom\s)
      |(?<=\bstriking\s)|(?<=\bstruck\s)|(?<=\brung\s)|(?<=\bexactly\s)|(?<=\bstriking\sof\s))
      (?:{_HOUR})\b{_NO_NOUN}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = {word: part.clock for word, part in DAY_PARTS.items() if part.clock}
_PART = re.compile(rf"\b({alternation(_PARTS)})\b", re.IGNORECASE)
_NIGHT = re.compile(r"\bnight\b", re.IGNORECASE)  # "at two at night", not "at two tonight"
# Minutes by which the words before a time may move it.
_ABOUT = 10
_SHORTLY = 15  # "shortly before", "just after"
_LONG = 120  # back from "by", on from "after"


@dataclass(frozen=True, slots=True)
class ClockTime:
    """The interval from ``low`` to ``high``, in minutes after midnight.

    ``half`` is whether it is known to be before or after noon, ``exact`` whether it is more than a
    part of the day; ``said`` is ``text[start:end]``.
    """

    low: float
    high: float
    half: bool
    exact: bool
    start: int
    end: int
    said: str

    def minutes_apart(self, other: ClockTime) -> float:
        """Minutes between two intervals, over midnight if that is less; 0 where they may meet."""
        if not (self.exact or other.exact):
            return 0.0
        period = DAY if self.half and other.half else HALF_DAY
        # Midnight is 1440: from there to "at one" it is two half days back.
        shifts = [period * times for times in (-2, -1, 0, 1, 2)]
        return min(max(0.0, self.low + s - other.high, other.low - s - self.high) for s in shifts)


def find_clock_times(text: str) -> Iterator[ClockTime]:
    """Every time of day in a text, exact ones first, then parts of the day far from any of them.

    >>> [(c.low, c.high, c.said) for c in find_clock_times("It left at ten to three.")]
    [(170.0, 170.0, 'ten to three')]
    """
    exact: list[tuple[int, int]] = []
    for match in _EXACT.finditer(text):
        moment = moment_of(f"at {_normalised(match)}")
        if moment.clock is None:
            continue
        start, end = match.span()
        minutes, half = moment.clock, moment.half
        if half is None:
            half = half_of_day(context := text[max(0, start - 30) : end + 40], nearby=True)
            early = _NIGHT.search(context) and minutes < 6 * 60
            if half == "pm" and minutes < HALF_DAY and not early:
                minutes += HALF_DAY
        low, high = _interval(text[max(0, start - 28) : start].lower(), float(minutes))
        exact.append((start, end))
        yield ClockTime(low, high, half is not None, True, start, end, match[0])
    for match in _PART.finditer(text):
        start, end = match.span()
        if any(first - 40 < start < last + 40 for first, last in exact):
            continue  # "at four in the afternoon"
        low, high = (60 * hour for hour in _PARTS[match[1].lower()])
        yield ClockTime(low, high, True, False, start, end, match[0])


def _normalised(match: re.Match[str]) -> str:
    """The time in a form that ``moment_of`` reads: "0815" as 08.15, "half five" as half past."""
    if match["half"]:
        return f"half past {match[0].split()[-1]}"
    if match["military"]:
        return f"{match[0][:2]}.{match[0][2:]}"
    return match[0].replace("’", "'")


def _interval(before: str, minutes: float) -> tuple[float, float]:
    """The interval a time means after some words: "by", "shortly after", "about"."""
    words = before.split()[-3:]
    if not words:
        return minutes, minutes
    if words[-1] in ("before", "by") and not {"not", "shortly", "just", "little"} & set(words):
        return minutes - _LONG, minutes
    if words[-1] in ("after", "past", "gone", "since") and not {"shortly", "just"} & set(words):
        return minutes, minutes + _LONG
    slack = _ABOUT if (APPROXIMATORS | {"towards"}) & set(words) else 0
    if {"shortly", "just", "little"} & set(words):
        slack = _SHORTLY
    return minutes - slack, minutes + slack
