"""Features of two documents: do they tell one story, or two like ones?

Two like events share their common words ("quake", "magnitude", "injured") and differ in names and
numbers, those of their openings above all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from fabula.pairs.features.facts import rarity
from fabula.text.lexicon import FUNCTION_WORDS, NOT_NAMES

__all__ = ["story_features"]

_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d,.]*\d|\d")
_OPENING = 4  # lines
_HEADLINE = 0.6  # share of capitals above which capitals tell no names
_MAIN = 3  # names
_NUMBER = 0.6  # the rarity of a number


@dataclass(frozen=True, slots=True)
class _Document:
    words: Mapping[str, float]  # weights
    names: Mapping[str, float]
    others: Mapping[str, float]  # words that are no names
    opening: Mapping[str, float]
    numbers: Mapping[str, float]
    main: tuple[str, ...]  # names


def story_features(a: str, b: str) -> dict[str, float]:
    """Named numbers between 0 and 1 of the texts of two documents."""
    first, second = _read(a), _read(b)
    told = sorted(
        (_share(first.names, second.words.keys()), _share(second.names, first.words.keys()))
    )
    main = [*(n in second.words for n in first.main), *(n in first.words for n in second.main)]
    return {
        "story_words": _cosine(first.words, second.words),
        "story_names_least": told[0],
        "story_names_most": told[1],
        "story_opening": _cosine(first.opening, second.opening),
        "story_main_names": sum(main) / len(main) if main else 0.0,
        "story_others": _cosine(first.others, second.others),
        "story_numbers": _cosine(first.numbers, second.numbers),
    }


@lru_cache(maxsize=2000)
def _read(text: str) -> _Document:
    words: Counter[str] = Counter()
    opening: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    small: Counter[str] = Counter()
    lines = [line for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        found = [word for word in _WORD.findall(line) if word.lower() not in FUNCTION_WORDS]
        words.update(word.lower() for word in found)
        if number < _OPENING:
            opening.update(word.lower() for word in found)
        small.update(word for word in found if word[0].islower())
        upper = [word.lower() for word in found if word[0].isupper()]
        if len(upper) <= _HEADLINE * len(found):
            capitals.update(word for word in upper if word not in NOT_NAMES)
    names = {word: count for word, count in capitals.items() if count > small[word]}
    weighed = {
        word: weight * (2 if word in opening else 1) for word, weight in _weights(names).items()
    }
    return _Document(
        words=_weights(words),
        names=weighed,
        others=_weights({word: n for word, n in words.items() if word not in names}),
        opening=_weights(opening),
        numbers={word: float(count) for word, count in words.items() if word[0].isdigit()},
        main=tuple(sorted(weighed, key=lambda name: (-weighed[name], name))[:_MAIN]),
    )


def _weights(counts: Mapping[str, int]) -> dict[str, float]:
    return {
        word: (1 + math.log(count)) * (0.1 + rarity(word) if word[0].isalpha() else _NUMBER)
        for word, count in counts.items()
    }


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    length = math.sqrt(math.fsum(v * v for v in a.values()) * math.fsum(v * v for v in b.values()))
    shared = math.fsum(weight * b[word] for word, weight in a.items() if word in b)
    return shared / length if length else 0.0


def _share(weights: Mapping[str, float], words: AbstractSet[str]) -> float:
    whole = math.fsum(weights.values())
    told = math.fsum(weight for word, weight in weights.items() if word in words)
    return told / whole if whole else 0.0
