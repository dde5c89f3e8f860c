"""Pair features: symmetric, bounded, blind to what is being told."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.salads.models.context.pair_features import FEATURES, pair_features

SENTENCES = [
    "In 1911 Captain Rook left Skelhaven with 31 men.",
    "Rook returned to Skelhaven in 1912.",
    "He never spoke of it.",
    "The mill at Brandle burned in 1755.",
]
VECTORS = np.random.default_rng(0).normal(size=(4, 8))
TOGETHER = VECTORS @ VECTORS.T


def feature(name: str) -> np.ndarray:
    return pair_features(SENTENCES, VECTORS, TOGETHER)[:, :, FEATURES.index(name)]


def test_shared_names_and_rarity():
    assert feature("shared names")[0, 1] > 0.9  # Rook and Skelhaven
    assert feature("shared names")[0, 3] == 0
    assert feature("shared names, by rarity")[0, 1] > 0


def test_years_near_and_far():
    near = feature("near in years")
    assert near[0, 1] > 0.7 > near[0, 3]
    assert near[0, 2] == feature("both have years")[0, 2] == 0


def test_pronouns():
    assert feature("one opens with a pronoun")[0, 2] == 1
    assert feature("one opens with a pronoun")[0, 1] == 0


texts = st.lists(st.text(max_size=40), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(texts=texts, seed=st.integers(0, 100))
def test_symmetric_and_finite_for_any_text(texts, seed):
    vectors = np.random.default_rng(seed).normal(size=(len(texts), 5))
    features = pair_features(texts, vectors, vectors @ vectors.T)
    assert features.shape == (len(texts), len(texts), len(FEATURES))
    assert np.isfinite(features).all()
    assert np.allclose(features, features.transpose(1, 0, 2), atol=1e-5)


@settings(deadline=None, max_examples=30)
@given(order=st.permutations(range(4)))
def test_the_order_of_sentences_does_not_matter(order):
    plain = pair_features(SENTENCES, VECTORS, TOGETHER)
    vectors = VECTORS[list(order)]
    shuffled = pair_features([SENTENCES[i] for i in order], vectors, vectors @ vectors.T)
    assert np.allclose(shuffled, plain[np.ix_(order, order)], atol=1e-5)


def test_zero_vectors_are_no_error():
    assert np.isfinite(pair_features(["a b", "c d"], np.zeros((2, 3)), np.zeros((2, 2)))).all()
