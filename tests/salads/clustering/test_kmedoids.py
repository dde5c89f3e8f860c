from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fabula.salads.clustering import kmedoids as medoids
from fabula.salads.clustering.kmedoids import best_medoids, kmedoids

Distances = NDArray[np.float64]


def cost(distance: Distances, chosen: Any) -> float:
    return float(distance[:, list(chosen)].min(axis=1).sum())


def cost_of(distance: Distances, labels: Any) -> float:
    """The cost of the best medoid of each story."""
    stories = [np.flatnonzero(labels == story) for story in np.unique(labels)]
    return float(sum(distance[np.ix_(s, s)].sum(axis=0).min() for s in stories))


def least(distance: Distances, k: int) -> float:
    return min(cost(distance, chosen) for chosen in combinations(range(len(distance)), k))


def points_apart(seed: int, n: int) -> Distances:
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return np.asarray(np.linalg.norm(points[:, None] - points[None, :], axis=2))


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 5))
def test_the_best_medoids_are_those_of_brute_force(seed: int, n: int, k: int) -> None:
    distance = points_apart(seed, n)
    labels = best_medoids(distance, k)
    assert labels.shape == (n,) and len(set(labels.tolist())) == min(k, n)
    assert cost_of(distance, labels) == pytest.approx(least(distance, min(k, n)))


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 5))
def test_pam_alone_ends_where_no_swap_gains(seed: int, n: int, k: int) -> None:
    distance = points_apart(seed, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(medoids, "SEARCH_LIMIT", 0)
        labels = best_medoids(distance, k)
    assert len(set(labels.tolist())) == min(k, n)
    chosen = [
        members[distance[np.ix_(members, members)].sum(axis=0).argmin()]
        for story in range(min(k, n))
        if len(members := np.flatnonzero(labels == story))
    ]
    swapped = [
        cost(distance, [*chosen[:slot], other, *chosen[slot + 1 :]])
        for slot in range(len(chosen))
        for other in range(n)
    ]
    assert cost_of(distance, labels) <= min(swapped) + 1e-6


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 5), st.integers(0, 3))
def test_one_start_ends_where_no_story_wants_another_medoid(
    seed: int, n: int, k: int, start: int
) -> None:
    distance = points_apart(seed, n)
    labels = kmedoids(distance, k, random.Random(start))
    assert (labels == kmedoids(distance.copy(), k, random.Random(start))).all()
    assert labels.shape == (n,) and set(labels.tolist()) <= set(range(min(k, n)))
    assert cost_of(distance, labels) >= least(distance, min(k, n)) - 1e-9
    chosen = [
        members[distance[np.ix_(members, members)].sum(axis=0).argmin()]
        for story in range(min(k, n))
        if len(members := np.flatnonzero(labels == story))
    ]
    assert cost(distance, chosen) == pytest.approx(cost_of(distance, labels))


def test_a_poor_start_is_what_exact_search_is_for() -> None:
    worse = sum(
        cost_of(d, kmedoids(d, 2, random.Random(0))) > cost_of(d, best_medoids(d, 2)) + 1e-9
        for d in (points_apart(seed, 16) for seed in range(50))
    )
    assert worse > 10


def test_more_sentences_than_can_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    distance = points_apart(1, 40)
    exact = best_medoids(distance, 3)
    monkeypatch.setattr(medoids, "SEARCH_LIMIT", 0)
    swapped = best_medoids(distance, 3)
    assert cost_of(distance, exact) <= cost_of(distance, swapped) <= 1.1 * cost_of(distance, exact)


@pytest.mark.parametrize("n", [1, 6])
@pytest.mark.parametrize("k", [1, 2, 9])
def test_all_at_no_distance(n: int, k: int) -> None:
    distance = np.zeros((n, n))
    for labels in (best_medoids(distance, k), kmedoids(distance, k, random.Random(0))):
        assert set(labels.tolist()) == {0}


def test_no_sentence() -> None:
    distance = np.zeros((0, 0))
    assert best_medoids(distance, 2).tolist() == []
    assert kmedoids(distance, 2, random.Random(0)).tolist() == []
