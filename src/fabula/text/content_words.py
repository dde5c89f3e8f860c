"""Content words: lemmas of nouns, names, verbs and adjectives that are no stop words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fabula.text.lexicon import LIGHT_WORDS

__all__ = ["content_of"]

_OPEN = frozenset(("NOUN", "PROPN", "VERB", "ADJ"))


def content_of(tokens: Sequence[Any]) -> Iterator[str]:
    """The lemmas of the content words among some tokens."""
    for token in tokens:
        lemma = token.lemma_.lower()
        if (
            token.pos_ in _OPEN
            and lemma not in LIGHT_WORDS
            and not token.is_stop
            and token.is_alpha
        ):
            yield lemma
