"""Features of a pair from the texts of its documents: do both tell one story, and where in it?"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from fabula.pairs.features.facts import Facts, rarity
from fabula.pairs.features.likeness import jaccard, share
from fabula.text.lexicon import FUNCTION_WORDS, NOT_NAMES

__all__ = ["context_features"]

_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d[\d,.]*\d|\d")


@dataclass(frozen=True, slots=True)
class _Context:
    words: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    counts: dict[str, int]


def context_features(
    a: str, b: str, facts_a: Facts, facts_b: Facts, context_a: str | None, context_b: str | None
) -> dict[str, float]:
    """Zeros where a document is not given, and then ``context`` is 0."""
    if not context_a or not context_b:
        return dict.fromkeys(_NAMES, 0.0)
    first, second = _read(context_a), _read(context_b)
    tokens_a, tokens_b = frozenset(facts_a.tokens), frozenset(facts_b.tokens)
    places = sorted((_place(a, context_a), _place(b, context_b)))
    salient = [
        _salience(tokens_a & tokens_b, first),
        _salience(tokens_a & tokens_b, second),
    ]
    values = (
        1.0,
        jaccard(first.names, second.names),
        math.log1p(len(first.names & second.names)),
        jaccard(first.words, second.words),
        jaccard(first.numbers, second.numbers, plain=True),
        min(_told(facts_a, second), _told(facts_b, first)),
        max(_told(facts_a, second), _told(facts_b, first)),
        places[0],
        places[1],
        min(salient),
        max(salient),
    )
    return dict(zip(_NAMES, values, strict=True))


_NAMES = (
    "context",
    "context_names",
    "context_names_shared",
    "context_words",
    "context_numbers",
    "told_least",
    "told_most",
    "place_first",
    "place_last",
    "salience_least",
    "salience_most",
)


@lru_cache(maxsize=2000)
def _read(text: str) -> _Context:
    found = _WORD.findall(text)
    counts = Counter(word.lower() for word in found)
    return _Context(
        words=frozenset(w for w in counts if w not in FUNCTION_WORDS and not w[0].isdigit()),
        names=frozenset(
            w.lower() for w in found
            if w[0].isupper() and w.lower() not in NOT_NAMES and w.lower() not in FUNCTION_WORDS
        ),
        numbers=frozenset(w for w in counts if w[0].isdigit()),
        counts=dict(counts),
    )  # fmt: skip


def _told(facts: Facts, document: _Context) -> float:
    """The share of a sentence's words that a document has, by rarity."""
    words = frozenset(t for t in facts.tokens if t not in FUNCTION_WORDS and t[0].isalpha())
    return share(document.words, words)


def _place(sentence: str, text: str) -> float:
    """How far into its document a sentence stands, from 0 at the head to 1."""
    at = text.find(sentence)
    return 0.5 if at < 0 else min(1.0, math.log1p(at / 100) / 3)


def _salience(shared: frozenset[str], document: _Context) -> float:
    """How often a document mentions what both sentences share, by rarity."""
    return math.log1p(
        math.fsum(
            rarity(word) * (document.counts.get(word, 0) - 1)
            for word in sorted(shared)
            if word not in FUNCTION_WORDS and word in document.counts and word[0].isalpha()
        )
    )
