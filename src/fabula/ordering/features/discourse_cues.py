"""Discourse cues for the order of two units: introductions, ordinals, clock times, weekdays.

Each kind of cue is a sign for every pair: 1 for unit i before unit j, -1 for after, 0 for no
evidence. Their weights are fitted on texts (``models.pairwise.calibration``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.features.clock_offsets import clock_offsets
from fabula.ordering.features.weekday_spans import (
    compare_spans,
    is_one_night,
    weekday_of,
    weekday_spans,
)
from fabula.text.lexicon import DEMONSTRATIVES, NOT_NAMES, ORDINALS, alternation
from fabula.text.temporal.expressions import Moment, moment_of
from fabula.text.temporal.lexicon import DAY_PARTS, HALF_DAY

__all__ = ["CUES", "cue_signs"]

CUES = ("hour", "part of the day", "short form", "name", "article", "counted", "weekday")

_PARTS = {word: part.typical for word, part in DAY_PARTS.items() if part.typical is not None}
_PART = re.compile(rf"\b({alternation(_PARTS)})\b", re.IGNORECASE)
_SHORT = re.compile(r"\(([A-Z][\w-]*[A-Z][\w-]*?)s?\)")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_NEW = frozenset(("a", "an"))
_KNOWN = frozenset(("the", *DEMONSTRATIVES))
_LAST = 9
_RANKS = {ordinal: rank for rank, ordinal in enumerate(ORDINALS[:5], start=1)} | {"last": _LAST}
_COUNTED = re.compile(
    rf"(?:the\s+)?((?:{alternation(ORDINALS[:3])}|last)(?:ly)?|{alternation(ORDINALS[3:5])}|finally)\b",
    re.IGNORECASE,
)


def cue_signs(units: Sequence[str]) -> NDArray[np.float64]:
    """n x n x 7, antisymmetric: for each kind of cue 1 where unit i should stand before j."""
    n = len(units)
    signs = np.zeros((n, n, len(CUES)))
    moments = [moment_of(unit) for unit in units]
    told = {i: hour for i, hour in enumerate(_hours(units, moments)) if hour is not None}
    days = weekday_spans(units)
    several = not is_one_night(weekday_of(unit) for unit in units)
    for i, one in told.items():
        for j, two in told.items():
            # With several days, clock times compare only among units that name none or the same.
            if several and (days[i] is None) != (days[j] is None):
                continue
            if not _dated_apart(moments[i], moments[j]) and not compare_spans(days[i], days[j]):
                exact = moments[i].clock is not None and moments[j].clock is not None
                signs[i, j, 0 if exact else 1] = np.sign(two - one)
    for kind, shown in enumerate((_short_forms(units), _names(units), _articles(units)), 2):
        signs[:, :, kind] = np.sign(shown - shown.T)
    for i, one in (ranks := _ranks(units)).items():
        for j, two in ranks.items():
            signs[i, j, 5] = np.sign(two - one)
    named = {i: day for i, day in enumerate(days) if day is not None}
    for i, day in named.items():
        for j, other in named.items():
            if not _dated_apart(moments[i], moments[j]):
                signs[i, j, 6] = compare_spans(day, other)
    return signs


def _hours(units: Sequence[str], moments: Sequence[Moment]) -> list[int | None]:
    """Minutes after the first clock time; words for parts of the day stand for an hour."""
    if all(moment.clock is None for moment in moments):
        return [None] * len(units)
    told = []
    for text, moment in zip(units, moments, strict=True):
        part = _PART.search(text) if moment.clock is None else None
        clock = round(_PARTS[part[1].lower()] * 60) if part else 0
        told.append(
            Moment(clock=clock, half="pm" if clock >= HALF_DAY else "am") if part else moment
        )
    return clock_offsets(told)


def _dated_apart(one: Moment, two: Moment) -> bool:
    """Whether the dates differ; clock times of different days are no evidence."""
    pairs = ((one.year, two.year), (one.month, two.month), (one.day, two.day))
    return any(a is not None and b is not None and a != b for a, b in pairs)


def _short_forms(units: Sequence[str]) -> NDArray[np.float64]:
    """shown[i, j]: unit i introduces in brackets an acronym that j uses."""
    shown = np.zeros((len(units), len(units)))
    made = [set(_SHORT.findall(unit)) for unit in units]
    for i, forms in enumerate(made):
        for form in forms:
            used = re.compile(rf"(?<![\w(-]){re.escape(form)}(?:s|es)?\b")
            for j, other in enumerate(units):
                if j != i and form not in made[j] and used.search(other):
                    shown[i, j] = 1
    return shown


def _names(units: Sequence[str]) -> NDArray[np.float64]:
    """shown[i, j]: unit i gives a name in full of which j has only a part."""
    shown = np.zeros((len(units), len(units)))
    words = [set(_WORD.findall(unit)) for unit in units]
    full = [_full_names(unit) for unit in units]
    for i, names in enumerate(full):
        for name in names:
            for j in range(len(units)):
                if j != i and name[-1] in words[j] and name[-2] not in words[j]:
                    shown[i, j] = 1
    return shown


def _full_names(unit: str) -> set[tuple[str, ...]]:
    found = set()
    for name in _NAME.findall(unit):
        words = name.split()
        if words[0].lower() in NOT_NAMES:
            del words[0]
        if len(words) > 1:
            found.add(tuple(words))
    return found


def _articles(units: Sequence[str]) -> NDArray[np.float64]:
    """shown[i, j]: the number of nouns with "a" in unit i and with "the" or "this" in j."""
    new: list[set[str]] = []
    known: list[set[str]] = []
    for unit in units:
        pairs = list(pairwise(word.lower() for word in _WORD.findall(unit)))
        new.append({word for article, word in pairs if article in _NEW})
        known.append({word for article, word in pairs if article in _KNOWN})
    shown = np.zeros((len(units), len(units)))
    for i, words in enumerate(new):
        if words:
            for j, others in enumerate(known):
                shown[i, j] = 0 if i == j else len(words & (others - new[j]))
    return shown


def _ranks(units: Sequence[str]) -> dict[int, int]:
    """The rank of a unit by its first words: "First", "Second", "Finally"."""
    found = {}
    for i, unit in enumerate(units):
        if match := _COUNTED.match(unit.lstrip()):
            found[i] = _RANKS.get(match[1].lower().removesuffix("ly"), _LAST)
    return found
