"""Does a text look like English? Good enough for a warning, not for a decision."""

from __future__ import annotations

import re

from fabula.text.lexicon import ENGLISH_WORDS

__all__ = ["looks_english"]

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_SHOWN = 20_000  # characters: the beginning is enough
_ENOUGH = 20  # words: below this, only the script can tell
_SHARE = 0.1  # of English prose, a third to a half; of headlines and lists, less


def looks_english(text: str) -> bool:
    """Whether enough of the words are English; a short text has the benefit of the doubt.

    >>> looks_english("The harbour master lit the lamps, and then he waited for the boats.")
    True
    >>> looks_english("Лодки вернулись в гавань.")
    False
    """
    words = _WORD.findall(text[:_SHOWN].lower())
    latin = sum(_LATIN.fullmatch(word) is not None for word in words)
    if 2 * latin < len(words):
        return False
    if len(words) < _ENOUGH:
        return True
    return sum(word in ENGLISH_WORDS for word in words) >= _SHARE * len(words)
