"""Amounts told in a sentence: figures and number words, what they count, and how exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Amount", "amounts_of", "bound_of", "is_year", "number_of"]

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_SMALL = {word: value for value, word in enumerate(_UNITS.split())}
_SMALL |= {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_SMALL |= {"no": 0, "a": 1, "an": 1, "dozen": 12}
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
# What they count says nothing of what happened, or is a time (compared elsewhere).
_EMPTY_UNITS = frozenset(
    "second minute hour day night week fortnight month year decade century time o'clock percent "
    "thing way side part half other kind sort type am pm degree section page chapter".split()
)
_ABOUT = frozenset("about around some nearly almost roughly approximately circa perhaps".split())
_LEAST = frozenset("least over than exceeding beyond".split())
_MOST = frozenset("most under fewer".split())


@dataclass(frozen=True, slots=True)
class Amount:
    """``value`` of ``unit`` (a lemma). ``bound``: "", "about", "least" or "most"."""

    value: float
    unit: str
    said: str
    bound: str = ""
    kinds: frozenset[str] = frozenset()  # what marks the unit off: "British", "wounded"
    beside: frozenset[str] = frozenset()  # the content words of its clause

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
            if piece in _LARGE:
                scale, seen = _LARGE[piece], True
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


def amounts_of(tokens: list[Any], beside: Callable[[Any], frozenset[str]]) -> list[Amount]:
    """The counted things of a parsed sentence; ``beside`` gives the words of a noun's clause."""
    found = []
    place = 0
    while place < len(tokens):
        if tokens[place].pos_ != "NUM" or tokens[place].ent_type_ in ("TIME", "DATE", "ORDINAL"):
            place += 1
            continue
        end = place
        while end < len(tokens) and (
            tokens[end].pos_ == "NUM"
            or (tokens[end].lower_ in ("-", "and") and _numeric(tokens, end + 1))
        ):
            end += 1
        run, start, place = tokens[place:end], place, end
        value = number_of([t.text for t in run if t.text != "-"])
        noun = _counted(tokens, run, end)
        if value is None or noun is None or is_year(value, run, noun):
            continue
        unit = noun.lemma_.lower()
        if unit in _EMPTY_UNITS or noun.ent_type_ in ("TIME", "DATE"):
            continue
        bound = bound_of([t.lower_ for t in tokens[max(0, start - 3) : start]])
        said = " ".join([_said(run), *(t.text for t in tokens[end:] if t.i <= noun.i)])
        marks = {t.lemma_.lower() for t in noun.children if t.dep_ in ("amod", "compound")}
        kinds = frozenset(mark for mark in marks if not mark[0].isdigit() and mark not in _LARGE)
        found.append(Amount(value, unit, said, bound, kinds, beside(noun)))
    return found


def _numeric(tokens: list[Any], place: int) -> bool:
    return place < len(tokens) and tokens[place].pos_ == "NUM"


def _counted(tokens: list[Any], run: list[Any], end: int) -> Any | None:
    """The noun a number counts: its head, else the next noun with only adjectives between."""
    for token in reversed(run):
        head = token
        while head.dep_ in ("compound", "conj", "quantmod") and head.head in run:
            head = head.head
        if head.dep_ == "nummod" and head.head.pos_ == "NOUN" and head.head.i > run[-1].i:
            return head.head
    for token in tokens[end : end + 3]:
        if token.pos_ == "NOUN":
            return token
        if token.pos_ not in ("ADJ", "PROPN"):
            return None
    return None


def is_year(value: float, run: Sequence[Any], noun: Any | None) -> bool:
    """Whether a number is a year, as in "the 1911 flood"; before a plural it is an amount."""
    likely = 1000 <= value <= 2100 and len(run) == 1 and run[0].text.isdigit()
    return likely and (noun is None or noun.tag_ != "NNS")


def bound_of(before: list[str]) -> str:
    """What the words before a number make of it: "", "about", "least" or "most"."""
    if _MOST & set(before) or before[-2:] == ["up", "to"]:
        return "most"
    if _LEAST & set(before):
        return "least"
    return "about" if _ABOUT & set(before) else ""


def _said(run: list[Any]) -> str:
    return "".join(t.text_with_ws for t in run).strip()
