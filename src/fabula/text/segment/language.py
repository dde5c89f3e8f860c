"""Does a text look like English? Good enough for a warning, not for a decision."""

from __future__ import annotations

import re

__all__ = ["looks_english"]

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_SHOWN = 20_000  # characters: the beginning is enough
_ENOUGH = 20  # words: below this, only the script can tell
_SHARE = 0.1  # of English prose, a third to a half; of headlines and lists, less

# Frequent in English and rare in its neighbours ("in", "was", "is", "a" are German or Dutch, too).
_ENGLISH = frozenset(
    """the and of to that for with this from they were have had not but are his her their which
    she he you it its be been by on at as or who would there what when will about into than then
    them we our your my could should did do does how if just like more no only other out over said
    so some time two up us very after before because while through where these those""".split()
)


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
    return sum(word in _ENGLISH for word in words) >= _SHARE * len(words)
