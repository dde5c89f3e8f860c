"""Claims of a sentence that can be compared: clock times, days and amounts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from fabula.assembly.facts.clauses import verb_over
from fabula.text.lexicon import CLAIM_VERBS, words
from fabula.text.quantity import Amount, likely_amounts_of
from fabula.text.temporal.calendar_days import CalendarDay, find_calendar_days
from fabula.text.temporal.clock_times import ClockTime, find_clock_times

__all__ = ["Claim", "claims_of"]

_PRINTED = words("edition issue paper bulletin newspaper broadcast")


@dataclass(frozen=True, slots=True)
class Claim:
    """A value and its ``kind``: "time" of a clock, "date" of a day, "number" of an amount."""

    kind: str
    value: ClockTime | CalendarDay | Amount
    said: str

    @property
    def unit(self) -> str:
        """What is counted; empty for times and days, and where the sentence does not say."""
        return self.value.unit if isinstance(self.value, Amount) else ""

    @property
    def exact(self) -> bool:
        """Whether it is more than a part of the day."""
        return not isinstance(self.value, ClockTime) or self.value.exact

    @property
    def in_figures(self) -> bool:
        """Whether it is written in digits, not in words."""
        return self.said[:1].isdigit()

    @property
    def few(self) -> bool:
        """Whether it is an amount of three at most."""
        return isinstance(self.value, Amount) and self.value.value <= 3

    def differs(self, other: Claim) -> float:
        """How far apart two values of one kind are, in minutes, in days or as the logarithm of
        their ratio; 0 where both may be true."""
        if isinstance(self.value, CalendarDay) and isinstance(other.value, CalendarDay):
            return self.value.days_apart(other.value)
        if isinstance(self.value, ClockTime) and isinstance(other.value, ClockTime):
            return self.value.minutes_apart(other.value)
        if isinstance(self.value, Amount) and isinstance(other.value, Amount):
            if not self.value.differs(other.value):
                return 0.0
            return abs(math.log((self.value.value + 0.5) / (other.value.value + 0.5)))
        return 0.0


def claims_of(doc: Any) -> tuple[Claim, ...]:
    """The claims of a parsed sentence."""
    clocks = list(find_clock_times(doc.text))
    days = list(find_calendar_days(doc.text))
    claims = [
        Claim("time", clock, clock.said) for clock in clocks if not _is_report_time(doc, clock)
    ]
    claims += [Claim("date", day, day.said) for day in days if not _is_report_time(doc, day)]
    taken = [(clock.start, clock.end) for clock in clocks if clock.exact]
    taken += [(day.start, day.end) for day in days]
    claims += [Claim("number", amount, amount.said) for amount in likely_amounts_of(doc, taken)]
    return tuple(claims)


def _is_report_time(doc: Any, time: ClockTime | CalendarDay) -> bool:
    """Whether a time is that of the report ("said on Monday that"), not that of the event."""
    token = next((t for t in doc if t.idx + len(t) > time.start), None)
    if token is None:
        return False
    if token.head.lemma_.lower() in _PRINTED and token.head.pos_ in ("NOUN", "PROPN"):
        return True
    verb = verb_over(token)
    return verb.lemma_.lower() in CLAIM_VERBS and any(c.dep_ == "ccomp" for c in verb.children)
