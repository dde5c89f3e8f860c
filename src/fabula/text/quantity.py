"""Amounts told in a sentence: figures and number words, what they count, and how exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from fabula.text.lexicon import APPROXIMATORS, CARDINALS, MAGNITUDES, words
from fabula.text.temporal.lexicon import MONTH

__all__ = ["Amount", "likely_amounts_of", "number_of"]

_SMALL = CARDINALS | {"no": 0, "a": 1, "an": 1, "dozen": 12}
_ABOUT = APPROXIMATORS | words("some roughly approximately circa perhaps")
_LARGE = frozenset((*MAGNITUDES, "dozen"))  # parsers take them for nouns: "two hundred men"
# "Tank 6", "minute 61", "row three": the number is a name.
_NUMBERED = words(
    """minute number row lot page room platform line channel kilometre tower case tank level gate
    chapter section day"""
)
# Roles in which a bare number counts something told elsewhere: "there were nine of us".
_STANDS_ALONE = words("attr pobj dobj nsubj nsubjpass acomp npadvmod appos ROOT")
_DATED = re.compile(rf"\d+ (of )?({MONTH})\b")
_LEAST = words("least over than exceeding beyond")
_MOST = words("most under fewer")


@dataclass(frozen=True, slots=True)
class Amount:
    """``value`` of ``unit`` (a lemma). ``bound``: "", "about", "least" or "most"."""

    value: float
    unit: str
    said: str
    bound: str = ""
    start: int = -1  # of the numeral, in characters; -1 where not told
    end: int = -1

    def differs(self, other: Amount) -> bool:
        """Whether the two cannot both be true of the same thing."""
        low, high = sorted((self, other), key=lambda amount: amount.value)
        if low.value == high.value or low.bound == "least" or high.bound == "most":
            return False
        loose = "about" in (low.bound, high.bound)
        return not (loose and high.value <= 1.2 * max(low.value, 1))


def number_of(words: list[str]) -> float | None:
    """The value of number words or figures; None when they are none.

    >>> number_of("one hundred and twenty".split()), number_of(["4,500"])
    (120.0, 4500.0)
    """
    total, part, seen = 0.0, 0.0, False
    for word in words:
        for piece in word.lower().split("-"):
            if piece in ("and", ""):
                continue
            if piece in MAGNITUDES:
                scale, seen = MAGNITUDES[piece], True
                if scale == 100:
                    part = max(part, 1) * 100
                else:
                    total, part = total + max(part, 1) * scale, 0.0
            elif piece in _SMALL:
                part, seen = part * 12 if piece == "dozen" and part else part + _SMALL[piece], True
            else:
                try:
                    part, seen = part + float(piece.replace(",", "")), True
                except ValueError:
                    return None
    value = total + part
    return value if seen and math.isfinite(value) else None  # four hundred digits are no amount


@dataclass(frozen=True, slots=True)
class _Numeral:
    """A run of number tokens ``[start, end)`` of a sentence and what it is worth."""

    run: list[Any]
    start: int
    end: int
    value: float | None
    bound: str


def _numerals(
    tokens: Sequence[Any], begins: Callable[[Any], bool], joins: AbstractSet[str] = frozenset()
) -> Iterator[_Numeral]:
    """The numerals of a sentence: from a token that ``begins`` one on, all numbers, the ``joins``
    among the words, and "-" or "and" before another number."""

    def goes_on(at: int) -> bool:
        if tokens[at].pos_ == "NUM" or tokens[at].lower_ in joins:
            return True
        after = tokens[at + 1 : at + 2]
        return tokens[at].lower_ in ("-", "and") and bool(after) and after[0].pos_ == "NUM"

    at = 0
    while at < len(tokens):
        start = at
        if tokens[at].pos_ != "NUM" or not begins(tokens[at]):
            at += 1
            continue
        while at < len(tokens) and goes_on(at):
            at += 1
        run = list(tokens[start:at])
        bound = _bound([token.lower_ for token in tokens[max(0, start - 3) : start]])
        value = number_of([token.text for token in run if token.text != "-"])
        yield _Numeral(run, start, at, value, bound)


def likely_amounts_of(doc: Any, taken: Sequence[tuple[int, int]] = ()) -> Iterator[Amount]:
    """The amounts of a parsed sentence, also those whose noun is likely or not told ("nine of us").

    What begins in the stretches ``taken`` is a time or a day. "One", years, dates and numbers that
    are names ("tank 6") are left out.
    """
    tokens = [token for token in doc if not token.is_space]
    for numeral in _numerals(tokens, lambda token: True, _LARGE):
        run, value = numeral.run, numeral.value
        if any(first <= run[0].idx < last for first, last in taken):
            continue
        counted = _likely_counted(tokens, run, numeral.end)
        if value is None or counted is None or value == 1 or _is_year(value, run, counted[0]):
            continue
        if _DATED.match(doc.text, run[0].idx):
            continue
        noun, unit = counted
        last = run[-1].i if noun is None else min(max(noun.i, run[-1].i), run[-1].i + 4)
        said = doc[run[0].i : last + 1].text
        start, end = run[0].idx, run[-1].idx + len(run[-1])
        yield Amount(value, unit, said, numeral.bound, start=start, end=end)


def _likely_counted(
    tokens: Sequence[Any], run: Sequence[Any], end: int
) -> tuple[Any | None, str] | None:
    """The noun a number counts and its lemma; no noun for "nine of us"; None for a name."""
    for token in reversed(run):
        head = _outermost(token, run, ("compound", "conj", "quantmod", "nummod"))
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
    if (noun := _next_noun(rest[:3])) is not None:
        return noun, noun.lemma_.lower()
    return (None, "") if run[-1].dep_ in _STANDS_ALONE else None


def _outermost(token: Any, run: Sequence[Any], labels: tuple[str, ...]) -> Any:
    """The head of a numeral, seen from one of its tokens."""
    while token.dep_ in labels and token.head in run:
        token = token.head
    return token


def _next_noun(tokens: Sequence[Any]) -> Any | None:
    """The first noun, if only adjectives and names stand before it."""
    for token in tokens:
        if token.pos_ == "NOUN":
            return token
        if token.pos_ not in ("ADJ", "PROPN"):
            return None
    return None


def _is_year(value: float, run: Sequence[Any], noun: Any | None) -> bool:
    """Whether a number is a year, as in "the 1911 flood"; before a plural it is an amount."""
    likely = 1000 <= value <= 2100 and len(run) == 1 and run[0].text.isdigit()
    return likely and (noun is None or noun.tag_ != "NNS")


def _bound(before: list[str]) -> str:
    """What the words before a number make of it: "", "about", "least" or "most"."""
    if _MOST & set(before) or before[-2:] == ["up", "to"]:
        return "most"
    if _LEAST & set(before):
        return "least"
    return "about" if _ABOUT & set(before) else ""
