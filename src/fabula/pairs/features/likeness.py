"""Features of a pair from the facts of its sentences, symmetric but for what says otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from fabula.pairs.features.event_classes import kinds_of
from fabula.pairs.features.facts import Facts, rarity

__all__ = ["jaccard", "pair_features", "share"]


def pair_features(a: Facts, b: Facts) -> dict[str, float]:
    """Named numbers, most of them between 0 and 1."""
    names, events = a.names & b.names, a.events & b.events
    units_a, units_b = {u for _, u in a.numbers if u}, {u for _, u in b.numbers if u}
    values_a, values_b = {v for v, _ in a.numbers}, {v for v, _ in b.numbers}
    days_apart = [d.days_apart(e) for d in a.days for e in b.days]
    short, long = sorted((len(a.tokens), len(b.tokens)))
    return {
        "words": jaccard(a.words, b.words),
        "words_of_shorter": _of_smaller(a.words, b.words),
        "words_of_second": share(a.words, b.words),
        "rarest_shared": max(map(rarity, a.words & b.words), default=0.0),
        "names": jaccard(a.names, b.names),
        "names_of_shorter": _of_smaller(a.names, b.names),
        "names_shared": math.log1p(len(names)),
        "names_unlike": float(bool(a.names and b.names) and not names),
        "names_lacking": float(not a.names or not b.names),
        "events": jaccard(a.events, b.events),
        "events_shared": math.log1p(_weight(events)),
        "classes": jaccard(a.classes, b.classes, plain=True),
        "main": float(bool(a.main) and a.main == b.main),
        "main_class": float(bool(kinds_of([a.main]) & kinds_of([b.main]))),
        "main_told": float(a.main in b.events) + float(b.main in a.events),
        "arguments": math.log1p(len(a.arguments & b.arguments)),
        "numbers_shared": math.log1p(len(values_a & values_b)),
        "numbers_unlike": float(bool(units_a & units_b) and not values_a & values_b),
        "days_shared": float(any(not apart for apart in days_apart)),
        "days_unlike": float(bool(days_apart) and all(days_apart)),
        "negation_unlike": float(a.negated != b.negated),
        "short": math.log1p(short),
        "length_ratio": math.log((long + 1) / (short + 1)),
        "bigrams": jaccard(_bigrams(a), _bigrams(b), plain=True),
    }


def jaccard(a: AbstractSet[str], b: AbstractSet[str], *, plain: bool = False) -> float:
    """What two sets share of what either has; of words by their rarity, unless ``plain``."""
    weight = len if plain else _weight
    union = weight(a | b)
    return weight(a & b) / union if union else 0.0


def share(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Share of the second's words that the first has too, weighted by rarity."""
    whole = _weight(b)
    return _weight(a & b) / whole if whole else 0.0


def _of_smaller(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    return max(share(a, b), share(b, a))


def _weight(words: Iterable[str]) -> float:
    # Sets have another order in every process: fsum does not mind.
    return math.fsum(0.1 + rarity(word) for word in words)


def _bigrams(facts: Facts) -> set[str]:
    return {f"{a} {b}" for a, b in zip(facts.tokens, facts.tokens[1:], strict=False)}
