"""Told values: sentences in, the days, hours and amounts they tell out, each by what it counts.

Two reports of two earthquakes share most of their words and places; "magnitude 4.6" and "2.09 a.m.
on Thursday" tell them apart. A value is compared with values of its own kind alone: an hour with
hours, what stands beside "magnitude" with what else stands beside it. No parser is used, so that a
kind is any word near a number; those that mean nothing agree and differ by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fabula.text.lexicon import CARDINALS, FUNCTION_WORDS
from fabula.text.temporal.clock_times import find_clock_times
from fabula.text.temporal.lexicon import MONTH_NUMBERS, WEEKDAYS

__all__ = ["agreement", "sentence_values", "weekday_likeness"]

Floats = NDArray[np.float64]
Value = tuple[str, str]  # its kind, and how it is written

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BESIDE = (1, 2, -1, -2)  # words at which what a number counts may stand
_MOST_COUNTED = 2  # times a value is told, beyond which more say nothing
_CHANCE_DAY = 0.3  # likeness of the weekdays of two reports that says nothing
_CACHE = 50_000


@lru_cache(maxsize=_CACHE)
def sentence_values(sentence: str) -> tuple[Value, ...]:
    """The values of a sentence, in order of kind of reading.

    >>> sentence_values("A magnitude 4.6 quake struck at 2:09 a.m. on Thursday.")[:3]
    (('clock', '129'), ('beside quake', '4.6'), ('beside struck', '4.6'))
    """
    values = [("clock", f"{time.low:g}") for time in find_clock_times(sentence) if time.exact]
    tokens = _TOKEN.findall(sentence)
    lower = [token.lower() for token in tokens]
    for at, word in enumerate(lower):
        if word in WEEKDAYS:
            values.append(("weekday", word))
        elif tokens[at][0].isupper() and word in MONTH_NUMBERS and len(word) > 3:
            values.append(("month", str(MONTH_NUMBERS[word])))
        number = word if word[0].isdigit() else _small_number(word)
        if number is None:
            continue
        if _YEAR.fullmatch(number):
            values.append(("year", number))
        for step in _BESIDE:
            if 0 <= at + step < len(lower) and _may_be_counted(lower[at + step]):
                values.append((f"beside {lower[at + step].rstrip('s')}", number))
    return tuple(values)


def _small_number(word: str) -> str | None:
    value = CARDINALS.get(word, 0)
    return str(value) if value > 1 else None


def _may_be_counted(word: str) -> bool:
    return word.isalpha() and len(word) > 2 and word not in FUNCTION_WORDS


def agreement(documents: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """[n, n] each: the values that two documents share, and the kinds in which they share none of
    the values that both tell; the logarithms of both counts."""
    told: dict[str, dict[str, Counter[int]]] = {}
    for number, sentences in enumerate(documents):
        for sentence in sentences:
            for kind, value in sentence_values(sentence):
                told.setdefault(kind, {}).setdefault(value, Counter())[number] += 1
    n = len(documents)
    shared, conflicting = np.zeros((n, n)), np.zeros((n, n))
    for values in told.values():
        telling = sorted({number for counts in values.values() for number in counts})
        if len(telling) < 2:
            continue
        here = np.zeros((len(telling), len(telling)))
        for counts in values.values():
            times = np.minimum([counts[number] for number in telling], _MOST_COUNTED)
            if (times > 0).sum() > 1:
                here += np.minimum.outer(times, times)
        shared[np.ix_(telling, telling)] += here
        conflicting[np.ix_(telling, telling)] += here == 0
    return np.log1p(shared), np.log1p(conflicting)


def weekday_likeness(documents: Sequence[Sequence[str]]) -> Floats:
    """[n, n]: the likeness of the weekdays two documents tell, less what chance gives; 0 where one
    tells none."""
    counts = np.zeros((len(documents), len(WEEKDAYS)))
    for row, sentences in enumerate(documents):
        for sentence in sentences:
            for kind, value in sentence_values(sentence):
                if kind == "weekday":
                    counts[row, WEEKDAYS.index(value)] += 1
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    squares = (shares**2).sum(axis=1)
    sums = squares[:, None] + squares[None, :]
    likeness = 2 * (shares @ shares.T) / np.maximum(sums, 1e-9) - _CHANCE_DAY
    return np.where((squares[:, None] > 0) & (squares[None, :] > 0), likeness, 0.0)
