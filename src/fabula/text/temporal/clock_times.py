"""Times of day told in a sentence, each as the stretch of minutes it may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fabula.text.temporal.expressions import moment_of
from fabula.text.temporal.weekdays import WEEKDAYS

__all__ = ["Clock", "clocks_of"]

_HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_STEP = "five|ten|a quarter|quarter|twenty|twenty-five|half|twenty-five minutes|\\d{1,2}"
# "At one the bell rang" tells a time, "at one roof" and "by six men" do not.
_NO_NOUN = (
    r"(?=\s*(?:[,;.!?:)]|$)|\s+(?:o['’]clock|a|an|the|this|that|my|our|your|his|her|its|their|i|we"
    r"|you|he|she|it|they|there|and|but|or|in|on|at|by|for|from|to|with|when|while|until|sharp"
    r"|exactly|precisely|every|each|all|both|some|no|not|tonight|as|after|before|because|since"
    r"|so|then|was|were|is|had|came|(?-i:[A-Z])\w*)\b)"
)
_EXACT = re.compile(
    rf"""
    (?P<digital>\b(?:[01]?\d|2[0-3])[:.][0-5]\d\b(?![.:,]?\d|\s*(?:%|million|billion|thousand|per)))
       (?:\s*[ap]\.?m\b)?
    |(?<!\S)(?P<military>0\d[0-5]\d)(?=[,;:.\s])
    |\b\d{{1,2}}\s*[ap]\.?m\b
    |\b(?:{_STEP})(?:\s+minutes)?\s+(?:past|to)\s+(?:{_HOUR}|noon|midnight|\d{{1,2}})\b
    |\b(?:{_HOUR}|\d{{1,2}})\s+o['’]clock\b
    |\b(?:{_HOUR})(?=\s+(?:in\s+the\s+(?:morning|afternoon|evening)|at\s+night)\b)
    |(?<=\bat\s)\d{{1,2}}(?=\s+(?:on\s+(?:{"|".join(WEEKDAYS)})|in\s+the\s+(?:morning|afternoon|evening)
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
_VAGUE = {
    "dawn": (4, 8), "daybreak": (4, 8), "sunrise": (4, 8), "first light": (4, 8),
    "breakfast": (6, 10), "lunchtime": (11.5, 14), "lunch": (11.5, 14), "supper": (17.5, 21),
    "late afternoon": (15.5, 18.5), "afternoon": (12, 18), "dusk": (16, 22),
    "nightfall": (16, 23), "noon prayer": (11.75, 13.5), "late evening": (20, 24),
    "break of day": (4, 8), "sun rose": (4, 8), "forenoon": (8, 12), "in the morning": (4, 12),
    "sunset": (16, 22), "sundown": (16, 22), "towards evening": (16, 21),
    "in the evening": (17, 24), "middle of the night": (22, 29), "black night": (18, 30),
}  # fmt: skip
_VAGUELY = re.compile(rf"\b({'|'.join(sorted(_VAGUE, key=len, reverse=True))})\b", re.IGNORECASE)
_MORNING = re.compile(r"\b(morning|dawn|breakfast|sunrise|daybreak)\b", re.IGNORECASE)
_LATE = re.compile(r"\b(afternoon|evening|night|tonight|dusk|sunset|supper)\b", re.IGNORECASE)
_NIGHT = re.compile(r"\bnight\b", re.IGNORECASE)  # "at two at night", not "at two tonight"
_HALF_DAY = 12 * 60
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
        step = 2 * _HALF_DAY if self.half and other.half else _HALF_DAY  # over midnight, too
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
            told = "am" if _MORNING.search(around) else "pm" if _LATE.search(around) else None
            if told == "pm" and at < _HALF_DAY and not (_NIGHT.search(around) and at < 6 * 60):
                at += _HALF_DAY
            half = told
        low, high = _reach(text[max(0, found.start() - 28) : found.start()].lower(), float(at))
        taken.append(found.span())
        yield Clock(low, high, half is not None, True, found.start(), found.end(), said)
    for found in _VAGUELY.finditer(text):
        if any(start - 40 < found.start() < end + 40 for start, end in taken):
            continue  # "at four in the afternoon"
        low, high = (60 * hour for hour in _VAGUE[found[1].lower()])
        yield Clock(low, high, True, False, found.start(), found.end(), found[0])


def _reach(before: str, at: float) -> tuple[float, float]:
    """The stretch a time means, given the words before it: "by", "shortly after", "about"."""
    words = before.split()[-3:]
    if not words:
        return at, at
    loose = _LOOSE if {"about", "around", "almost", "nearly", "towards"} & set(words) else 0
    if words[-1] in ("before", "by") and not {"not", "shortly", "just", "little"} & set(words):
        return at - _LONG, at
    if words[-1] in ("after", "past", "gone", "since") and not {"shortly", "just"} & set(words):
        return at, at + _LONG
    if {"shortly", "just", "little"} & set(words):
        loose = _SHORTLY
    return at - loose, at + loose
