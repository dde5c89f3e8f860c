"""How two like items are related: a copy, a contrast pair, a conflict, or one passage's questions.

A contrast pair has the same words and another answer (mirrored and minimal pairs: adversarial
ARCT, Balanced COPA, WinoGrande). It balances a data set, so it is no copy. Two questions on one
passage share most of their words with it, not with each other. Equal questions with different
answers are a conflict.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from fabula.endings.items import Ending
from fabula.text.segment.treebank import plain

__all__ = ["conflicting_items", "is_copy", "mirrored_pairs", "same_answer"]

_PART_LIKE = 0.5  # of a part (a question, the options) two copies share at least so much
_LARGEST = 8  # more items with equal options have labels (yes, no), not a pair's options
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def is_copy(one: Ending, other: Ending) -> bool:
    """Whether two items that share most words ask the same and have the same answer.

    The options, and the first and the last sentence of the context (where a question stands), must
    be alike by themselves.
    """
    return (
        same_answer(one, other)
        and _alike(" ".join(one.options), " ".join(other.options))
        and all(map(_alike, _edges(one), _edges(other)))
    )


def same_answer(one: Ending, other: Ending) -> bool:
    """Whether the right option of each is likest to the right one of the other; True if unknown."""
    return _answers_alike(one, other) and _answers_alike(other, one)


def _answers_alike(one: Ending, other: Ending) -> bool:
    if one.gold is None or other.gold is None:
        return True
    mine = _shingles(one.options[one.gold])
    likeness = [_jaccard(mine, _shingles(option)) for option in other.options]
    return likeness[other.gold] == max(likeness)


def mirrored_pairs(items: Sequence[Ending]) -> list[tuple[int, int]]:
    """Pairs of items with equal options, another answer and another context."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if item.gold is not None:
            groups[tuple(sorted(map(_normal, item.options)))].append(index)
    return [
        (first, second)
        for members in groups.values()
        if 1 < len(members) <= _LARGEST
        for place, first in enumerate(members)
        for second in members[place + 1 :]
        if _gold_text(items[first]) != _gold_text(items[second])
        and _question(items[first]) != _question(items[second])
    ]


def conflicting_items(items: Sequence[Ending]) -> list[tuple[int, int]]:
    """Pairs of items in which the right option of one is wrong in the other, by rising index.

    Context and relation are the same; items without a context ask nothing to be compared.
    """
    right: dict[tuple[str, str], int] = {}
    wrong: dict[tuple[str, str], int] = {}
    for index, item in enumerate(items):
        question = _question(item)
        if item.gold is None or not question.strip():
            continue
        for place, option in enumerate(item.options):
            side = right if place == item.gold else wrong
            side.setdefault((question, _normal(option)), index)
    both = right.keys() & wrong.keys()
    return sorted({(min(right[k], wrong[k]), max(right[k], wrong[k])) for k in both})


def _question(item: Ending) -> str:
    return f"{plain(' '.join(item.context))} {item.relation or ''}"


def _gold_text(item: Ending) -> str:
    return "" if item.gold is None else _normal(item.options[item.gold])


def _normal(option: str) -> str:
    return plain(option) or option.strip()


def _edges(item: Ending) -> tuple[str, str]:
    sentences = [part for text in item.context for part in _SENTENCE.split(text) if part.strip()]
    return (sentences[0], sentences[-1]) if sentences else ("", "")


def _alike(one: str, other: str) -> bool:
    return _jaccard(_shingles(one), _shingles(other)) >= _PART_LIKE


@lru_cache(maxsize=4096)
def _shingles(text: str) -> frozenset[str]:
    """Words and word bigrams, as near duplicates are compared by."""
    words = plain(text).split()
    return frozenset([*words, *map(" ".join, pairwise(words))])


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 1.0
