"""What a sentence claims: times, days and amounts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from fabula.assembly.facts.clauses import verb_over
from fabula.text.lexicon import CLAIM_VERBS, words
from fabula.text.quantity import Amount, likely_amounts_of
from fabula.text.temporal.calendar_days import Day, days_of
from fabula.text.temporal.clock_times import Clock, clocks_of

__all__ = ["Claim", "claims_of"]

_PRINTED = words("edition issue paper bulletin newspaper broadcast")


@dataclass(frozen=True, slots=True)
class Claim:
    """``kind`` is "time" with a ``Clock``, "date" with a ``Day``, "number" with an ``Amount``."""

    kind: str
    value: Clock | Day | Amount
    said: str

    @property
    def unit(self) -> str:
        """What is counted; empty for times and days, and where the sentence does not say."""
        return self.value.unit if isinstance(self.value, Amount) else ""

    @property
    def exact(self) -> bool:
        """Whether it is more than a part of the day."""
        return not isinstance(self.value, Clock) or self.value.exact

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
        if isinstance(self.value, Day) and isinstance(other.value, Day):
            return self.value.apart(other.value)
        if isinstance(self.value, Clock) and isinstance(other.value, Clock):
            return self.value.apart(other.value)
        if isinstance(self.value, Amount) and isinstance(other.value, Amount):
            if not self.value.differs(other.value):
                return 0.0
            return abs(math.log((self.value.value + 0.5) / (other.value.value + 0.5)))
        return 0.0


def claims_of(doc: Any) -> tuple[Claim, ...]:
    """The claims of a parsed sentence."""
    clocks = list(clocks_of(doc.text))
    days = list(days_of(doc.text))
    told = [Claim("time", clock, clock.said) for clock in clocks if not _of_saying(doc, clock)]
    told += [Claim("date", day, day.said) for day in days if not _of_saying(doc, day)]
    taken = [(clock.start, clock.end) for clock in clocks if clock.exact]
    taken += [(day.start, day.end) for day in days]
    told += [Claim("number", amount, amount.said) for amount in likely_amounts_of(doc, taken)]
    return tuple(told)


def _of_saying(doc: Any, told: Clock | Day) -> bool:
    """Whether it is when something was said or printed ("said on Monday that"), not when it was."""
    token = next((t for t in doc if t.idx + len(t) > told.start), None)
    if token is None:
        return False
    if token.head.lemma_.lower() in _PRINTED and token.head.pos_ in ("NOUN", "PROPN"):
        return True
    verb = verb_over(token)
    return verb.lemma_.lower() in CLAIM_VERBS and any(c.dep_ == "ccomp" for c in verb.children)
