"""What a sentence claims: times of day and amounts, each with the clause that tells it.

The clause is kept without its value, so that two claims can be compared by what they are about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.assembly.amounts import Amount, bound_of, is_year, number_of
from fabula.assembly.clausal import clause_of, verb_over
from fabula.assembly.clocks import Clock, clocks_of
from fabula.assembly.happenings import kinds_of

__all__ = ["Claim", "claims_of"]

_PARTICLES = frozenset(
    "up off out away down over back in on through ashore free aboard upon across".split()
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATED = re.compile(rf"\d+ (of )?({_MONTH})\b")
_LARGE = frozenset("hundred thousand million billion dozen".split())
# "Tank 6", "minute 61", "row three": the number is a name.
_NUMBERED = frozenset(
    "minute number row lot page room platform line channel kilometre tower case tank level gate "
    "chapter section day".split()
)
_STANDS_ALONE = frozenset(
    "attr pobj dobj nsubj nsubjpass acomp npadvmod appos ROOT".split()
)  # roles in which a bare number counts something told elsewhere: "there were nine of us"


@dataclass(frozen=True, slots=True)
class Claim:
    """``kind`` is "time" with a ``Clock``, or "number" with an ``Amount``."""

    kind: str
    value: Clock | Amount
    said: str
    frame: str  # the clause without the value
    happenings: frozenset[str]

    @property
    def unit(self) -> str:
        """What is counted; empty for a time, and where the sentence does not say."""
        return self.value.unit if isinstance(self.value, Amount) else ""

    @property
    def in_figures(self) -> bool:
        """Whether it is written in digits, not in words."""
        return self.said[:1].isdigit()

    @property
    def few(self) -> bool:
        """Whether it is an amount of three at most."""
        return isinstance(self.value, Amount) and self.value.value <= 3

    def differs(self, other: Claim) -> float:
        """How far apart two values of one kind are, in minutes or as the logarithm of their
        ratio; 0 where both may be true."""
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
    told = [
        Claim("time", clock, clock.said, *_frame(doc, clock.start, clock.end)) for clock in clocks
    ]
    taken = [(clock.start, clock.end) for clock in clocks if clock.exact]
    return (*told, *_numbers(doc, taken))


def _frame(doc: Any, start: int, end: int) -> tuple[str, frozenset[str]]:
    """The clause around some characters, without them, and the happenings it tells."""
    span = doc.char_span(start, end, alignment_mode="expand")
    inside = {token.i for token in span}
    verb = verb_over(span.root)
    own = clause_of(verb)
    if sum(t.i not in inside and t.is_alpha for t in own) < 4 and verb.head.i != verb.i:
        own = sorted({*own, *clause_of(verb_over(verb.head))}, key=lambda t: t.i)
    rest = [t for t in own if t.i not in inside and t.ent_type_ not in ("TIME", "DATE")]
    while rest and (rest[-1].dep_ in ("cc", "punct", "prep") or rest[-1].lower_ == "a"):
        rest.pop()
    lemma = verb.lemma_.lower()
    for child in verb.children:
        if child.lower_ in _PARTICLES and verb.i < child.i < verb.i + 4:
            lemma += f"_{child.lower_}"
    text = "".join(t.text_with_ws for t in rest).strip(" ,;.")
    return text, kinds_of([lemma, *(t.lemma_.lower() for t in rest)])


def _numbers(doc: Any, taken: Sequence[tuple[int, int]]) -> Iterator[Claim]:
    """The amounts; what stands in the stretches ``taken`` is a time."""
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
        end = run[-1].idx + len(run[-1])
        yield Claim("number", Amount(value, unit, said, bound), said, *_frame(doc, run[0].idx, end))


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
