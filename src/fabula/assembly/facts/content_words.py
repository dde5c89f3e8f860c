"""The words that say what a sentence is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["content_of"]

_OPEN = frozenset(("NOUN", "PROPN", "VERB", "ADJ"))
_LIGHT = frozenset(
    "be have do make take get go come say see give put know think want use let keep tell seem "
    "begin start become other same such more most many much few several own last next first good "
    "great new old mr mrs ms dr doctor".split()
)


def content_of(tokens: Sequence[Any]) -> Iterator[str]:
    """Lemmas that say what a sentence is about."""
    for token in tokens:
        lemma = token.lemma_.lower()
        if token.pos_ in _OPEN and lemma not in _LIGHT and not token.is_stop and token.is_alpha:
            yield lemma
