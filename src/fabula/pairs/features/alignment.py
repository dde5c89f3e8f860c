"""Alignment of the words of two sentences by MiniLM's states: other words for one event are near.

Two reports of one event name the same people, and so do reports of what happened next: how well the
words align that are no names tells the events apart (BERTScore, Zhang et al. 2020, without names).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from fabula.core.threads import core_count
from fabula.pairs.features.facts import Facts, rarity
from fabula.text.lexicon import FUNCTION_WORDS, REPORTING_VERBS
from fabula.text.transformer.onnx import Session, packaged
from fabula.text.transformer.spec import MINILM

__all__ = ["WordStates", "alignment", "word_states"]

Floats = NDArray[np.float32]
_MAX_PIECES = 128  # of a sentence, with the special ones
_MIN_LETTERS = 3


class WordStates(NamedTuple):
    """The content words of a sentence: a state of length one each, its rarity, if it is a name."""

    states: Floats
    rarities: Floats
    names: NDArray[np.bool_]


def word_states(facts: Mapping[str, Facts]) -> dict[str, WordStates]:
    """The word states of sentences, given with their facts."""
    session = packaged(MINILM)
    asked = zip(MINILM.token_ids(list(facts)), facts.values(), strict=True)
    with ThreadPoolExecutor(core_count()) as executor:
        found = list(executor.map(lambda one: _states(session, *one), asked))
    return dict(zip(facts, found, strict=True))


def _states(session: Session, ids: Sequence[int], facts: Facts) -> WordStates:
    states = session.run(ids[:_MAX_PIECES])
    spelt = MINILM.tokenizer().id_to_token
    pieces: list[list[int]] = []
    for place, token in enumerate(ids[:_MAX_PIECES]):
        if spelt(token).startswith("##") and pieces:
            pieces[-1].append(place)
        else:
            pieces.append([place])
    rows, words = [], []
    for places in pieces:
        word = "".join(spelt(ids[place]).removeprefix("##") for place in places)
        if _tells(word):
            rows.append(states[places].mean(axis=0))
            words.append(word)
    names = set(map(_unaccented, facts.names))  # as the word pieces are
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), MINILM.dimension)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-9
    return WordStates(
        matrix,
        np.array([0.1 + rarity(word) for word in words], dtype=np.float32),
        np.array([word in names for word in words], dtype=bool),
    )


def _tells(word: str) -> bool:
    return (
        len(word) >= _MIN_LETTERS
        and word[0].isalpha()
        and word not in FUNCTION_WORDS
        and word not in REPORTING_VERBS
    )


def _unaccented(word: str) -> str:
    return "".join(c for c in normalize("NFD", word.lower()) if not combining(c))


def alignment(a: WordStates, b: WordStates) -> dict[str, float]:
    """How well the words of two sentences align, in the direction that aligns better and in the
    other, and the best aligned two that are no names; 0 where a sentence has no such words."""
    all_best, all_least, _ = _aligned(a, b)
    best, _, top = _aligned(_without_names(a), _without_names(b))
    return {
        "aligned_words": all_best,
        "aligned_words_least": all_least,
        "aligned_events": best,
        "aligned_event": top,
    }


def _without_names(words: WordStates) -> WordStates:
    kept = ~words.names
    return WordStates(words.states[kept], words.rarities[kept], words.names[kept])


def _aligned(a: WordStates, b: WordStates) -> tuple[float, float, float]:
    if not len(a.states) or not len(b.states):
        return 0.0, 0.0, 0.0
    cosines = a.states @ b.states.T
    ways: Sequence[float] = sorted(
        float(np.average(cosines.max(axis=axis), weights=words.rarities))
        for axis, words in ((1, a), (0, b))
    )
    return ways[1], ways[0], float(cosines.max())
