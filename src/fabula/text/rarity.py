"""Rarity of English words: a word in, 0 (everywhere) to 1 (hardly ever) out.

MiniLM's word pieces are listed by falling frequency in general English, so a word's rank there
tells how common it is; a word that is no piece of its own is rare. A pile of six reports cannot
tell by itself that "police" is common and "Jackman" is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

__all__ = ["log_rank_rarity", "rarity"]

_FIRST_WORD = 1_996  # rank of "the"; before it stand unused, control and single-character pieces
_VOCABULARY = 30_522


@cache
def rarity(word: str) -> float:
    """The squared logarithm of the word's frequency rank, scaled to 0 to 1; lower-case words."""
    rank = _ranks().get(word, _VOCABULARY)
    if rank < _FIRST_WORD:
        rank = _VOCABULARY
    return (math.log(rank - _FIRST_WORD + 6) / math.log(_VOCABULARY - _FIRST_WORD)) ** 2


@cache
def log_rank_rarity(word: str) -> float:
    """The logarithm of the word's frequency rank, scaled to 0 to 1: the scale of the pair models.

    It differs from ``rarity``, since the weights of both sides are fitted to their own.
    """
    rank = _ranks().get(word)
    place = _VOCABULARY if rank is None else max(rank, 1000)
    return math.log(place / 1000) / math.log(_VOCABULARY / 1000)


@cache
def _ranks() -> Mapping[str, int]:
    from fabula.text.transformer.spec import MINILM

    vocabulary: Mapping[str, int] = MINILM.tokenizer().get_vocab()
    return vocabulary
