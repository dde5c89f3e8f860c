"""Penn Treebank tokens by one regular expression, for letters of any language.

On 3,742 story endings the counts are those of NLTK's ``TreebankWordTokenizer`` but for one text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.text.segment.words import CLITIC

__all__ = ["Words", "is_word", "plain", "tokenize", "treebank_words"]

_WORD = re.compile(
    rf"""
    \bcan(?=not\b)                          # can not
    | \w+?(?={CLITIC}) | {CLITIC}         # does n't, Ida 's
    | \w+(?:[-.,:'’]\w+)*?(?={CLITIC})     # mother-in-law 's
    | [^\W\d_]\.(?:[^\W\d_]\.)+             # U.S.
    | \w+(?:[-.,:'’&/]\w+)*                 # o'clock, 10,000
    | \.{{2,}} | -{{2,}} | [^\w\s]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PLAIN = re.compile(r"[\W_]+")

Ints = NDArray[np.int32]


def treebank_words(text: str) -> list[str]:
    """The Penn Treebank tokens of a text.

    >>> treebank_words("She doesn't like Ida's hat.")
    ['She', 'does', "n't", 'like', 'Ida', "'s", 'hat', '.']
    """
    return _WORD.findall(text)


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit in it: not only a mark."""
    return any(character.isalnum() for character in token)


def plain(text: str) -> str:
    """A text without case, marks and odd spaces, to be compared with others.

    >>> plain("  It’s “HER” hat!!")
    'it s her hat'
    """
    return _PLAIN.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


@dataclass(frozen=True, slots=True)
class Words:
    """Many texts as numbers: those of text i are ``ids[starts[i]:starts[i + 1]]``."""

    ids: Ints
    starts: NDArray[np.int64]
    vocabulary: tuple[str, ...]

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def take(self, texts: NDArray[np.int64]) -> Words:
        """The words of some of the texts, under the same numbers."""
        counts = self.counts[texts]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[texts] - starts[:-1], counts)
        return Words(self.ids[places], starts, self.vocabulary)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The text that each word stands in."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)


def tokenize(texts: Sequence[str], *, longest: int = 20_000) -> Words:
    """The lower-cased words of each text; only the first ``longest`` characters are read."""
    numbers: dict[str, int] = {}
    ids: list[Ints] = []
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    for place, text in enumerate(texts):
        found = [
            numbers.setdefault(word, len(numbers))
            for word in _WORD.findall(text[:longest].lower().replace("’", "'"))
        ]
        ids.append(np.array(found, dtype=np.int32))
        starts[place + 1] = starts[place] + len(found)
    flat = np.concatenate(ids) if ids else np.empty(0, dtype=np.int32)
    return Words(flat, starts, tuple(numbers))
