"""Many salads in step give what each gives alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.salads.clustering.correlation import correlation_clusters, story_log_odds
from fabula.salads.clustering.two_way_correlation import two_story_log_odds, two_way_clusters


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 5), st.floats(-3, 3))
def test_as_one_by_one(seed, n, b, shift):
    noise = np.random.default_rng(seed).normal(size=(b, n, n)) + shift
    odds = noise + noise.transpose(0, 2, 1)
    labels = two_way_clusters(odds)
    towards = two_story_log_odds(odds, labels)
    for matrix, some, pull in zip(odds, labels, towards, strict=True):
        assert some.tolist() == correlation_clusters(matrix, 2).tolist()
        if some.any():
            assert np.allclose(pull, story_log_odds(matrix, some))


@pytest.mark.parametrize("fill", [0.0, 1.0, -1.0])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_all_equal(fill, n):
    odds = np.full((2, n, n), fill)
    alone = correlation_clusters(odds[0], 2).tolist()
    assert two_way_clusters(odds).tolist() == [alone, alone]
