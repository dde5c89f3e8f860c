"""What a sentence claims: times, days and amounts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.assembly.facts.clauses import verb_over
from fabula.text.quantity import Amount, bound_of, is_year, number_of
from fabula.text.temporal.calendar_days import Day, days_of
from fabula.text.temporal.clock_times import Clock, clocks_of

__all__ = ["Claim", "claims_of"]

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATED = re.compile(rf"\d+ (of )?({_MONTH})\b")
_LARGE = frozenset("hundred thousand million billion dozen".split())
# "Tank 6", "minute 61", "row three": the number is a name.
_NUMBERED = frozenset(
    "minute number row lot page room platform line channel kilometre tower case tank level gate "
    "chapter section day".split()
)
_SAYING = frozenset(
    "say state report announce write tell claim declare add admit confirm insist explain note warn "
    "maintain testify inform reveal".split()
)
_PRINTED = frozenset("edition issue paper bulletin newspaper broadcast".split())
_STANDS_ALONE = frozenset(
    "attr pobj dobj nsubj nsubjpass acomp npadvmod appos ROOT".split()
)  # roles in which a bare number counts something told elsewhere: "there were nine of us"


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
    return (*told, *_numbers(doc, taken))


def _of_saying(doc: Any, told: Clock | Day) -> bool:
    """Whether it is when something was said or printed ("said on Monday that"), not when it was."""
    token = next((t for t in doc if t.idx + len(t) > told.start), None)
    if token is None:
        return False
    if token.head.lemma_.lower() in _PRINTED and token.head.pos_ in ("NOUN", "PROPN"):
        return True
    verb = verb_over(token)
    return verb.lemma_.lower() in _SAYING and any(c.dep_ == "ccomp" for c in verb.children)


def _numbers(doc: Any, taken: Sequence[tuple[int, int]]) -> Iterator[Claim]:
    """The amounts; what stands in the stretches ``taken`` is a time or a day."""
    tokens = [token for token in doc if not token.is_space]
    place = 0
    while place < len(tokens):
        start = place
        if tokens[place].pos_ == "NUM":
            while place < len(tokens) and _goes_on(tokens, place):
                place += 1
        run = tokens[start:place]
        if not run:
            place += 1
            continue
        if any(first <= run[0].idx < last for first, last in taken):
            continue
        value = number_of([t.text for t in run if t.text != "-"])
        counted = _counted(tokens, run, place)
        if value is None or counted is None or _is_name(value, run, counted[0]):
            continue
        noun, unit = counted
        last = run[-1].i if noun is None else min(max(noun.i, run[-1].i), run[-1].i + 4)
        said = doc[run[0].i : last + 1].text
        bound = bound_of([t.lower_ for t in tokens[max(0, start - 3) : start]])
        yield Claim("number", Amount(value, unit, said, bound), said)


def _goes_on(tokens: Sequence[Any], place: int) -> bool:
    """Whether a number that has begun takes in the token at ``place``."""
    if tokens[place].pos_ == "NUM" or tokens[place].lower_ in _LARGE:
        return True
    after = tokens[place + 1 : place + 2]
    return tokens[place].lower_ in ("-", "and") and bool(after) and after[0].pos_ == "NUM"


def _is_name(value: float, run: Sequence[Any], noun: Any | None) -> bool:
    """Whether the number is no amount: "one", a year, a date."""
    dated = _DATED.match(run[0].doc.text, run[0].idx)
    return value == 1 or bool(dated) or is_year(value, run, noun)


def _counted(tokens: Sequence[Any], run: Sequence[Any], end: int) -> tuple[Any | None, str] | None:
    """The noun a number counts and its lemma; no noun for "nine of us"; None for a name."""
    for token in reversed(run):
        head = token
        while head.dep_ in ("compound", "conj", "quantmod", "nummod") and head.head in run:
            head = head.head
        if head.dep_ not in ("nummod", "quantmod"):
            continue
        if head.head.pos_ in ("NOUN", "PROPN") and head.head.i > run[-1].i:
            return head.head, head.head.lemma_.lower()
        if head.dep_ == "nummod" and head.head.lower_ in _NUMBERED:
            return None
    rest = tokens[end : end + 4]
    if rest and rest[0].lower_ == "of":
        noun = next((t for t in rest[1:] if t.pos_ == "NOUN"), None)
        return (noun, noun.lemma_.lower()) if noun is not None else (None, "")
    for token in rest[:3]:
        if token.pos_ == "NOUN":
            return token, token.lemma_.lower()
        if token.pos_ not in ("ADJ", "PROPN"):
            break
    return (None, "") if run[-1].dep_ in _STANDS_ALONE else None
