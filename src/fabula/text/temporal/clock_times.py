"""Times of day told in a sentence, each as the stretch of minutes it may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fabula.text.lexicon import APPROXIMATORS, alternation
from fabula.text.temporal.expressions import moment_of
from fabula.text.temporal.lexicon import (
    AFTER_HOUR,
    AFTER_NOON_NEARBY,
    BEFORE_NOON_NEARBY,
    DAY,
    DAY_PARTS,
    HALF_DAY,
    HOURS,
    PAST_OR_TO,
    WEEKDAY,
)

__all__ = ["Clock", "clocks_of"]

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
_BEFORE_NOON = re.compile(rf"\b(?:{alternation(BEFORE_NOON_NEARBY)})\b", re.IGNORECASE)
_AFTER_NOON = re.compile(rf"\b(?:{alternation(AFTER_NOON_NEARBY)})\b", re.IGNORECASE)
_NIGHT = re.compile(r"\bnight\b", re.IGNORECASE)  # "at two at night", not "at two tonight"
_LOOSE = 10  # minutes "about" may be out
_SHORTLY = 15  # and "shortly before" or "just after"
_LONG = 120  # how far "by" reaches back, and "after" on


@dataclass(frozen=True, slots=True)
class Clock:
    """From ``low`` to ``high``, in minutes; ``half`` is False where morning and evening are
    not told apart."""

    low: float
    high: float
    half: bool
    exact: bool
    start: int  # where in the text
    end: int
    said: str

    def apart(self, other: Clock) -> float:
        """Minutes between the two stretches; 0 where they may be one moment."""
        if not (self.exact or other.exact):
            return 0.0
        step = DAY if self.half and other.half else HALF_DAY  # over midnight, too
        # Midnight is 1440: from there to "at one" it is two half days back.
        turns = [step * times for times in (-2, -1, 0, 1, 2)]
        return min(
            max(0.0, self.low + turn - other.high, other.low - turn - self.high) for turn in turns
        )


def clocks_of(text: str) -> Iterator[Clock]:
    """Every time of day in a text.

    >>> [(c.low, c.high, c.said) for c in clocks_of("It left at ten to three.")]
    [(170.0, 170.0, 'ten to three')]
    """
    taken: list[tuple[int, int]] = []
    for found in _EXACT.finditer(text):
        said = found[0]
        known = f"{said[:2]}.{said[2:]}" if found["military"] else said.replace("’", "'")
        if found["half"]:
            known = f"half past {said.split()[-1]}"  # "half five"
        moment = moment_of(f"at {known}")
        if moment.clock is None:
            continue
        at, half = moment.clock, moment.half
        if half is None:
            around = text[max(0, found.start() - 30) : found.end() + 40]
            told = (
                "am"
                if _BEFORE_NOON.search(around)
                else "pm"
                if _AFTER_NOON.search(around)
                else None
            )
            if told == "pm" and at < HALF_DAY and not (_NIGHT.search(around) and at < 6 * 60):
                at += HALF_DAY
            half = told
        low, high = _reach(text[max(0, found.start() - 28) : found.start()].lower(), float(at))
        taken.append(found.span())
        yield Clock(low, high, half is not None, True, found.start(), found.end(), said)
    for found in _PART.finditer(text):
        if any(start - 40 < found.start() < end + 40 for start, end in taken):
            continue  # "at four in the afternoon"
        low, high = (60 * hour for hour in _PARTS[found[1].lower()])
        yield Clock(low, high, True, False, found.start(), found.end(), found[0])


def _reach(before: str, at: float) -> tuple[float, float]:
    """The stretch a time means, given the words before it: "by", "shortly after", "about"."""
    words = before.split()[-3:]
    if not words:
        return at, at
    loose = _LOOSE if (APPROXIMATORS | {"towards"}) & set(words) else 0
    if words[-1] in ("before", "by") and not {"not", "shortly", "just", "little"} & set(words):
        return at - _LONG, at
    if words[-1] in ("after", "past", "gone", "since") and not {"shortly", "just"} & set(words):
        return at, at + _LONG
    if {"shortly", "just", "little"} & set(words):
        loose = _SHORTLY
    return at - loose, at + loose
