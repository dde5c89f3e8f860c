"""Correlation clustering against brute force, and its promises."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.salads.clustering.correlation import (
    correlation_clusters,
    local_search,
    objective,
    spectral_start,
    story_log_odds,
)
from fabula.salads.clustering.number_of_stories import cost_by_story_length, cost_per_sentence


def random_odds(seed: int, n: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=(n, n))
    odds = (noise + noise.T) / 2
    np.fill_diagonal(odds, 0.0)
    return odds


def planted(sizes: tuple[int, ...], noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    odds = np.where(labels[:, None] == labels[None, :], 1.0, -1.0)
    odds = odds + noise * random_odds(seed, len(labels))
    np.fill_diagonal(odds, 0.0)
    return odds, labels


def same_pairs(labels: np.ndarray) -> np.ndarray:
    return np.asarray(labels[:, None] == labels[None, :])


def test_planted_stories_are_found_with_and_without_their_number():
    odds, labels = planted((7, 5, 4), noise=0.5)
    for k in (3, None):
        assert (same_pairs(correlation_clusters(odds, k)) == same_pairs(labels)).all()


def test_one_story_where_everything_belongs_together():
    assert set(correlation_clusters(np.ones((6, 6)))) == {0}


def test_many_stories_where_nothing_does():
    assert len(set(correlation_clusters(-9 * np.ones((5, 5))))) == 5


def groupings(n: int) -> list[tuple[int, ...]]:
    """Every way to group n sentences, once: a label is one seen before or the next new one."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(n):
        found = [(*some, label) for some in found for label in range(len({*some}) + 1)]
    return found


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 6))
def test_close_to_the_best_of_all_groupings(seed, n):
    odds = 20 * random_odds(seed, n)

    def value(labels: np.ndarray) -> float:
        return float(objective(odds, labels) - cost_per_sentence(odds, len(set(labels.tolist()))))

    best = max(value(np.array(labels)) for labels in groupings(n))
    single = value(np.zeros(n, dtype=int))
    assert value(correlation_clusters(odds)) - single >= 0.8 * (best - single) - 1e-9


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 12), k=st.integers(1, 4))
def test_a_number_that_is_given_is_kept(seed, n, k):
    k = min(k, n)
    labels = correlation_clusters(random_odds(seed, n), k)
    assert len(labels) == n
    assert len(set(labels.tolist())) <= k
    assert (labels == correlation_clusters(random_odds(seed, n), k)).all()


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 12))
def test_local_search_never_loses(seed, n):
    odds = random_odds(seed, n)
    start = spectral_start(odds, 2)
    assert objective(odds, local_search(odds, start)) >= objective(odds, start) - 1e-9


def test_no_sentence_and_one_sentence():
    assert correlation_clusters(np.zeros((0, 0))).tolist() == []
    assert correlation_clusters(np.zeros((1, 1))).tolist() == [0]


def test_story_log_odds_leave_the_sentence_itself_out():
    odds = np.array([[9.0, 2.0, -1.0], [2.0, 9.0, -3.0], [-1.0, -3.0, 9.0]])
    towards = story_log_odds(odds, np.array([0, 0, 1]))
    assert towards.tolist() == [[2.0, -1.0], [2.0, -3.0], [-2.0, 0.0]]


def test_a_long_story_is_split_for_more() -> None:
    """Two halves of a long story that differ a little are one story; two stories are two."""
    labels = np.repeat([0, 1, 2, 2], [16, 16, 8, 8])
    odds = np.where(labels[:, None] == labels[None, :], 3.0, -4.0)
    halves = np.repeat([0, 1], [40, 8])
    odds[(halves[:, None] != halves[None, :]) & (labels[:, None] == labels[None, :])] = -1.0
    assert correlation_clusters(odds).max() + 1 == 4
    assert correlation_clusters(odds, story_cost=cost_by_story_length).max() + 1 == 3
    assert correlation_clusters(odds, 4, story_cost=cost_by_story_length).max() + 1 == 4
