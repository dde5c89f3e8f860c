"""Weekdays without a date: the day a text names, and the interval it leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from fabula.text.lexicon import alternation
from fabula.text.temporal.expressions import moment_of
from fabula.text.temporal.lexicon import DAY, DAY_PARTS, HALF_DAY, WEEKDAY, WEEKDAYS

__all__ = [
    "Span",
    "compare_spans",
    "first_weekday",
    "is_one_night",
    "possible_first_days",
    "weekday_of",
    "weekday_spans",
]  # fmt: skip

Span = tuple[int, int]  # start and end in minutes from the first day

_SMALL_HOURS = 6 * 60
_CLEAR = 2  # days by which the shortest run of days must be shorter than the next
# Not "until Monday", "since late Monday", "Ash Wednesday", "Sunday school", "The Sunday Times".
_WEEKDAY = re.compile(
    rf"\b(?P<not>(?:until|till|before|since|next|last|every|ash|good|palm|easter|shrove|black)\s+"
    rf"(?:late\s+|early\s+|next\s+|last\s+)?)?(?P<day>{WEEKDAY})\b"
    r"(?!\s+(?:school|club|(?-i:Times|Post|Mail|Mirror|Telegraph|Herald|Express|Sun)\b))",
    re.IGNORECASE,
)
_PARTS = {word: part.weekday for word, part in DAY_PARTS.items() if part.weekday}
_PART = re.compile(rf"\b({alternation(_PARTS)})\b", re.IGNORECASE)
_NIGHT = re.compile(r"\bnight\b", re.IGNORECASE)


@lru_cache(maxsize=20_000)  # an account asks for the same sentence again and again
def weekday_of(text: str) -> int | None:
    """The weekday a text names, 0 for Monday; None where it names none or several."""
    named = {match["day"].lower() for match in _WEEKDAY.finditer(text) if not match["not"]}
    return WEEKDAYS.index(named.pop()) if len(named) == 1 else None


def possible_first_days(days: Iterable[int | None]) -> list[tuple[int, int]]:
    """(days until the last named day, day) for each named day as the first; the shortest first."""
    named = {day for day in days if day is not None}
    return sorted((max((other - day) % 7 for other in named), day) for day in named)


def first_weekday(days: Iterable[int | None]) -> int | None:
    """The day from which all others follow soonest, if no other comes close; else None."""
    starts = possible_first_days(days)
    if not starts or (len(starts) > 1 and starts[1][0] - starts[0][0] < _CLEAR):
        return None
    return starts[0][1]


def is_one_night(days: Iterable[int | None]) -> bool:
    """Whether at most two days in a row are named, so that all may be one night."""
    starts = possible_first_days(days)
    return not starts or starts[0][0] < 2


def weekday_spans(texts: Sequence[str], first: int | None = None) -> list[Span | None]:
    """The interval of each text, counted from the weekday ``first``; None where it names no day.

    Without ``first`` and with no clear first day, every interval is None.

    >>> weekday_spans(["On Monday it blew.", "At 6 a.m. on Tuesday it ended.", "At 7 we slept."])
    [(0, 1440), (1800, 1800), None]
    """
    days = [weekday_of(text) for text in texts]
    start = first_weekday(days) if first is None else first
    return [
        None if day is None or start is None else _span(text, (day - start) % 7 * DAY)
        for text, day in zip(texts, days, strict=True)
    ]


def _span(text: str, day: int) -> Span:
    moment = moment_of(text)
    if moment.clock is not None:
        clock = moment.clock
        if _NIGHT.search(text) and clock % HALF_DAY < _SMALL_HOURS:
            clock = clock % HALF_DAY + DAY  # "at two on Monday night"
        elif moment.half is None:
            return day + clock % HALF_DAY, day + clock % HALF_DAY + HALF_DAY
        return day + clock, day + clock
    if part := _PART.search(text):
        opens, closes = _PARTS[part[1].lower()]
        return day + opens * 60, day + closes * 60
    return day, day + DAY


def compare_spans(one: Span | None, two: Span | None) -> int:
    """1 if the first interval ends before the second begins, -1 the other way round, else 0."""
    if one is None or two is None or one == two:
        return 0
    return int(one[1] <= two[0]) - int(two[1] <= one[0])
