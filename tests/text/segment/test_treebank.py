"""Tokens, and texts compared without case and marks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.audit.stats.ngram_counts import character_ngrams, count_matrix, word_ngrams
from fabula.text.segment.treebank import plain, tokenize, treebank_words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It cost $5.99 -- I can't!", ["It", "cost", "$", "5.99", "--", "I", "ca", "n't", "!"]),
        ("Keira cannot stay.", ["Keira", "can", "not", "stay", "."]),
        ("mother-in-law's", ["mother-in-law", "'s"]),
        ("the U.S. house at 5 o'clock", ["the", "U.S.", "house", "at", "5", "o'clock"]),
        ("ابن البيت", ["ابن", "البيت"]),
        ("😀 ok", ["😀", "ok"]),
    ],
)
def test_tokens_are_the_treebanks(text: str, tokens: list[str]) -> None:
    assert treebank_words(text) == tokens


@given(st.lists(st.text(max_size=30), max_size=8))
def test_numbers_stand_for_the_words(texts: list[str]) -> None:
    words = tokenize(texts)
    assert len(words.counts) == len(texts)
    for place, text in enumerate(texts):
        ids = words.ids[words.starts[place] : words.starts[place + 1]]
        expected = treebank_words(text.lower().replace("’", "'"))
        assert [words.vocabulary[i] for i in ids] == expected
    chosen = np.arange(len(texts))[::2]
    taken = words.take(chosen)
    assert taken.counts.tolist() == words.counts[chosen].tolist()


def test_plain() -> None:
    assert plain("Don’t STOP, she said!") == plain("don't stop -- she said")
    assert plain("!!!") == ""


def test_grams_count_what_is_there() -> None:
    texts = ["abcd abcd", "abcd", "xyz"]
    matrix = count_matrix([character_ngrams(texts, 4)], 3, least=1)
    # Marked ends: 11 characters make 8 runs, of which "abcd" occurs twice.
    assert matrix.sum(axis=1).ravel().tolist() == [[8.0, 3.0, 2.0]]
    assert matrix.max() == 2
    words = count_matrix([word_ngrams(tokenize(["a b a", "b"]), 2)], 2, least=1)
    assert words.sum(axis=1).ravel().tolist() == [[5.0, 1.0]]
    assert count_matrix([word_ngrams(tokenize(["a b a", "b"]), 1)], 2, least=2).shape == (2, 1)
