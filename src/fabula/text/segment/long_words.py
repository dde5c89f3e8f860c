"""Words of hundreds of characters (base64, ruled lines, runs of one mark), masked for parsers.

Tokenizers take marks off the ends of a word one at a time and copy the rest, so that their time
grows with the square of its length. Masked, such a word is one word of letters.
"""

from __future__ import annotations

import re

__all__ = ["mask_long_words"]

_LONG_WORD = re.compile(r"\S{400,}")
_SHOWN = 40


def mask_long_words(text: str) -> str:
    """``text`` with all but the end of its longest words as ``x``; every offset stays.

    >>> mask_long_words("See " + "=" * 50), len(mask_long_words("=" * 1000 + "."))
    ('See ==================================================', 1001)
    """
    return text if len(text) < 400 else _LONG_WORD.sub(_mask, text)


def _mask(word: re.Match[str]) -> str:
    return "x" * (len(word[0]) - _SHOWN) + word[0][-_SHOWN:]
