"""overlap: the floor. Shared words say how alike two sentences are, "not" and figures the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabula.pairs.items import Pair, Relation
from fabula.text.lexicon import AUXILIARIES, FUNCTION_WORDS, NEGATIONS

__all__ = ["Overlap"]

_WORD = re.compile(r"n't|n’t|[^\W\d_]+(?=n't|n’t)|\w+")
_STEM = 4  # letters


class Overlap:
    """Same event: Jaccard overlap of the words. Entailment: the second's words that the first has.

    What overlaps, but for a negation or a figure that the other lacks, contradicts.
    """

    def relate(self, pairs: Sequence[Pair]) -> list[Relation]:
        return [_relation(_words(pair.a), _words(pair.b)) for pair in pairs]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace("’", "'") for word in _WORD.findall(text.lower()))


def _content(words: frozenset[str]) -> frozenset[str]:
    """Content words by their first letters, which most forms of a word share."""
    return frozenset(word[:_STEM] for word in words - FUNCTION_WORDS - NEGATIONS - AUXILIARIES)


def _relation(a: frozenset[str], b: frozenset[str]) -> Relation:
    content_a, content_b = _content(a), _content(b)
    shared, either = len(content_a & content_b), len(content_a | content_b)
    same = shared / either if either else 0.0
    told = shared / len(content_b) if content_b else 0.0
    unlike = bool(a & NEGATIONS) != bool(b & NEGATIONS)
    figures_a, figures_b = ({w for w in words if w.isdigit()} for words in (a, b))
    unlike |= bool(figures_a and figures_b and not figures_a & figures_b)
    if unlike:
        return Relation(0.0, 1 - told, told, same)
    return Relation(told, (1 - told) * 0.6, (1 - told) * 0.4, same)
