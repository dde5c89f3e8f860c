"""Story numbers that persist between answers, and what changed from one answer to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Changed", "changed_stories", "number_stories"]


class Changed(NamedTuple):
    """A sentence whose story number differs: None before (new) or now (gone)."""

    key: str
    before: int | None
    now: int | None


def changed_stories(before: Mapping[str, int], now: Mapping[str, int]) -> list[Changed]:
    """Sentences (any keys, such as texts or ids) that are new, moved to another story or gone.

    >>> changed_stories({"a": 1, "b": 1}, {"a": 1, "b": 2})
    [Changed(key='b', before=1, now=2)]
    """
    rows = [Changed(key, before.get(key), now.get(key)) for key in dict.fromkeys([*before, *now])]
    return [row for row in rows if row.before != row.now]


def number_stories(
    labels: NDArray[np.int64], sentences: Sequence[str], previous: Mapping[str, int]
) -> dict[int, int]:
    """A number from 1 for each label, keeping the numbers of a previous answer.

    Labels and previous numbers are matched by the largest overlap of sentences (Hungarian
    algorithm); unmatched labels get new numbers in the order of their first sentences.
    """
    from scipy.optimize import linear_sum_assignment

    by_first = list(dict.fromkeys(labels.tolist()))
    old_numbers = sorted(set(previous.values()))
    numbers: dict[int, int] = {}
    if old_numbers:
        overlap = np.zeros((len(by_first), len(old_numbers)))
        for label, sentence in zip(labels.tolist(), sentences, strict=True):
            if sentence in previous:
                overlap[by_first.index(label), old_numbers.index(previous[sentence])] += 1
        for row, column in zip(*linear_sum_assignment(overlap, maximize=True), strict=True):
            if overlap[row, column] > 0:
                numbers[by_first[row]] = old_numbers[column]
    highest = max(old_numbers, default=0)
    for label in by_first:
        if label not in numbers:
            highest += 1
            numbers[label] = highest
    return numbers
