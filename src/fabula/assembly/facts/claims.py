"""Claims of a sentence that can be compared: clock times, days, amounts and places."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fabula.assembly.facts.anchors import NOWHERE, Anchor, anchor_of, nearest_fate
from fabula.assembly.facts.clauses import clause_of, verb_over
from fabula.assembly.facts.places import Place, place_of_relative, places_of
from fabula.text.coref.agreement import FEMALE, MALE, is_person_noun
from fabula.text.lexicon import CLAIM_VERBS, words
from fabula.text.quantity import Amount, likely_amounts_of
from fabula.text.temporal.calendar_days import CalendarDay, find_calendar_days
from fabula.text.temporal.clock_times import ClockTime, find_clock_times

__all__ = ["Claim", "claims_of"]

_PUBLISHING = words("publish print")
_PRINTED = words("edition issue paper bulletin newspaper broadcast")


_CURRENCY = frozenset("$£€¥")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "m": 1e6, "bn": 1e9}
_SHARE = re.compile(r"\s*(?:%|per ?cent\b|percent\b)", re.IGNORECASE)
_COLLEAGUE = re.compile(r"\bco-?(worker|employee|passenger|defendant)s?", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\s+(?:the\s+)?[$£€]?$")
_PART_OF = re.compile(
    r"\s+of\s+(?:the|our|its|their|his|her)\s+(?:\d|[a-z]+(?:teen|ty|een|ve|wo|hree|our|ix|ight|ine|en)\b)"
)
_OFFSET = re.compile(
    r"[\s-]+(?:second|minute|hour|day|week|month|year)s?\s+(?:before|after|later|earlier|ago|into)\b"
)
_IN_YEAR = re.compile(r"\b[Ii]n (1[5-9]\d\d|20\d\d)\b")
_YEAR = re.compile(r"\d{4}")
_RANGE_BEFORE = re.compile(
    r"(?:\bbetween\s+|\d(?:\s*(?:million|billion|m|bn))?\s*(?:-|–|\bto\b)\s*)[$£€]?$", re.IGNORECASE
)
_RANGE_AFTER = re.compile(r"(?:\s*(?:million|billion|m|bn))?\s*(?:-|–|\bto\b)\s*[$£€]?\d")
_OLD = re.compile(r"[\s-]*years?[\s-]*old\b", re.IGNORECASE)
# "Tomasz Wilczek, 58, noticed", "Ida Lund, aged 58", "died at the age of 58"
_AGE = re.compile(r"(?<=[a-z], )\d{1,2}(?=[,.;)])|(?<=\bage )\d{1,2}\b|(?<=\baged )\d{1,2}\b|"
                  r"(?<=\bage of )\d{1,2}\b")  # fmt: skip
_LIMIT = re.compile(
    r"\b(?:under|over|above|below|before|between|until|from)\s+(?:the\s+)?ages?(?: of)? $"
)
_NO_PERSON = frozenset(("GPE", "LOC", "FAC", "NORP", "ORG"))


_LONGEST = 400  # tokens: what is longer is a table or a run of words, and takes quadratic time


@dataclass(frozen=True, slots=True)
class Claim:
    """A value and its ``kind``: "time" of a clock, "date" of a day, "number" of an amount, "place"
    of a clause; ``anchor`` is what it is told of."""

    kind: str
    value: ClockTime | CalendarDay | Amount | Place | str
    said: str
    anchor: Anchor = NOWHERE

    @property
    def unit(self) -> str:
        """What is counted; empty for times and days, and where the sentence does not say."""
        return self.value.unit if isinstance(self.value, Amount) else ""

    @property
    def bound(self) -> str:
        """ "least", "most" or "about" before an amount, else empty."""
        return self.value.bound if isinstance(self.value, Amount) else ""

    @property
    def exact(self) -> bool:
        """Whether it is more than a part of the day."""
        return not isinstance(self.value, ClockTime) or self.value.exact

    def differs(self, other: Claim) -> float:
        """How far apart two values of one kind are, in minutes, in days, as the logarithm of
        their ratio, or as ``Place.apart``; 0 where both may be true."""
        if isinstance(self.value, CalendarDay) and isinstance(other.value, CalendarDay):
            return self.value.days_apart(other.value)
        if isinstance(self.value, ClockTime) and isinstance(other.value, ClockTime):
            return self.value.minutes_apart(other.value)
        if isinstance(self.value, Place) and isinstance(other.value, Place):
            return self.value.apart(other.value)
        if isinstance(self.value, Amount) and isinstance(other.value, Amount):
            if not self.value.differs(other.value):
                return 0.0
            return abs(math.log((self.value.value + 0.5) / (other.value.value + 0.5)))
        return 0.0


def claims_of(doc: Any) -> tuple[Claim, ...]:
    """The claims of a parsed sentence."""
    if len(doc) > _LONGEST:
        return ()
    clocks = list(find_clock_times(doc.text))
    days = list(find_calendar_days(doc.text))
    claims = [
        Claim("time", clock, clock.said, _anchor_at(doc, clock.start))
        for clock in clocks
        if not _is_report_time(doc, clock)
    ]
    claims += [
        Claim("date", day, day.said, _anchor_at(doc, day.start))
        for day in days
        if not _is_report_time(doc, day)
    ]
    years = [year for year in _IN_YEAR.finditer(doc.text) if not days]
    claims += [
        Claim(
            "date",
            CalendarDay(int(year[1]), None, None, None, year.start(1), year.end(1), year[1]),
            year[1],
            _anchor_at(doc, year.start(1)),
        )
        for year in years
    ]
    taken = [(clock.start, clock.end) for clock in clocks if clock.exact]
    taken += [(day.start, day.end) for day in days]
    claims += list(_amounts(doc, taken))
    return (*claims, *_places(doc))


def _amounts(doc: Any, taken: list[tuple[int, int]]) -> Iterator[Claim]:
    """The amounts with their units: money by its sign, shares as "%", ages as "year old"."""
    ages = {age.start() for age in _AGE.finditer(doc.text)}
    for amount in likely_amounts_of(doc, taken):
        if amount.start in ages:
            continue
        if 1900 <= amount.value <= 2100 and _YEAR.fullmatch(doc.text[amount.start : amount.end]):
            continue  # "the 2012 Oscars"
        if _RANGE_BEFORE.search(before := doc.text[: amount.start]) or _RANGE_AFTER.match(
            doc.text, amount.end
        ):
            continue  # the ends of a range: neither is claimed
        after, said = doc.text[amount.end :], amount.said
        if _DENIED.search(before) or _PART_OF.match(after) or _OFFSET.match(after):
            continue  # "17 pieces, not 14"; "12 of the 17"; "four minutes after the alarm"
        if amount.unit == "co" and (colleague := _COLLEAGUE.search(after)):
            amount = replace(amount, unit=colleague[1].lower())
            said += colleague[0].partition("co")[2]
        if before[-1:] in _CURRENCY:
            scale = re.match(r"\s*(thousand|million|billion|m|bn)\b", after)
            figures = doc.text[amount.start - 1 : amount.end]
            value = amount.value
            if scale and amount.value < 1e5:
                value, figures = value * _SCALES[scale[1]], figures + scale[0]
            amount, said = replace(amount, value=value, unit=before[-1]), figures
        elif share := _SHARE.match(after):
            amount = replace(amount, unit="%")
            said = doc.text[amount.start : amount.end] + share[0]
        elif aged := _OLD.match(after):
            amount = replace(amount, unit="year old")
            said = doc.text[amount.start : amount.end] + aged[0]
            whose = _of_person(doc, amount.start, amount.end + 40)
            if whose.words:
                yield Claim("number", amount, said, whose)
            continue
        yield Claim("number", amount, said, _anchor_at(doc, amount.start))
    for age in _AGE.finditer(doc.text):
        if 1 < int(age[0]) < 100 and not _LIMIT.search(doc.text[: age.start()]):
            old = Amount(float(age[0]), "year old", age[0], start=age.start(), end=age.end())
            whose = _of_person(doc, age.start())
            if whose.words:
                yield Claim("number", old, age[0], whose)


def _places(doc: Any) -> Iterator[Claim]:
    """Where each clause says that it happens, if that surely is a place."""
    for verb in doc:
        if verb.pos_ == "VERB" and verb.dep_ not in ("amod", "compound"):
            where = place_of_relative(verb)
            for place in (*places_of(clause_of(verb)), *([where] if where else ())):
                if place.is_certain:
                    yield Claim("place", place, place.said, anchor_of(verb))


def _of_person(doc: Any, start: int, end: int = 0) -> Anchor:
    """The anchor of an age: the name before it or soon after it, else the subject's, else the
    person's noun ("a 61-year-old man"); empty where it is that of no person."""
    token = next((t for t in doc if t.idx + len(t) > start), None)
    if token is None:
        return NOWHERE
    before = [t for t in doc if t.idx < start - 1 and not t.is_punct][-3:]
    after = [t for t in doc if start < t.idx < end]
    verb = verb_over(token)
    subject = [t for s in verb.children if s.dep_ in ("nsubj", "nsubjpass") for t in s.subtree]
    noun = next((t for t in after if t.pos_ == "NOUN" and t.lemma_.lower() != "year"), None)
    names = _person_names([*before, *after])
    if noun is None and not end:
        names = names or _person_names(subject)
    fates = nearest_fate(token)
    if names:
        return Anchor("be", arguments=names, words=names, names=names, fates=fates)
    lemma = "" if noun is None else noun.lemma_.lower()
    if lemma not in MALE | FEMALE and not is_person_noun(lemma):
        return NOWHERE
    told = frozenset({lemma})
    return Anchor("be", arguments=told, words=told, fates=fates)


def _person_names(tokens: Sequence[Any]) -> frozenset[str]:
    return frozenset(
        t.lower_
        for t in tokens
        if t.pos_ == "PROPN" and len(t) > 2 and t.ent_type_ not in _NO_PERSON
    )


def _anchor_at(doc: Any, start: int) -> Anchor:
    token = next((t for t in doc if t.idx + len(t) > start), None)
    return NOWHERE if token is None else anchor_of(token)


def _is_report_time(doc: Any, time: ClockTime | CalendarDay) -> bool:
    """Whether a time is that of the report ("said on Monday that"), not that of the event."""
    token = next((t for t in doc if t.idx + len(t) > time.start), None)
    if token is None:
        return False
    if token.head.lemma_.lower() in _PRINTED and token.head.pos_ in ("NOUN", "PROPN"):
        return True
    verb = verb_over(token)
    if verb.lemma_.lower() in _PUBLISHING:
        return True
    return verb.lemma_.lower() in CLAIM_VERBS and any(c.dep_ == "ccomp" for c in verb.children)
