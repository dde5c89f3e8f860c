from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fabula.salads.clustering.average_linkage import linkage_clusters
from fabula.salads.clustering.correlation import objective


def blocks(*sizes: int, odds: float = 2.0) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return np.where(labels[:, None] == labels[None, :], odds, -odds)


def test_blocks_are_found_with_their_number() -> None:
    found = linkage_clusters(blocks(3, 2, 4))
    assert found.labels.tolist() == [0] * 3 + [1] * 2 + [2] * 4
    assert found.numbers[0][0] == 3 and found.numbers[0][1] > 0.5


def test_one_story_is_a_possible_answer() -> None:
    assert linkage_clusters(np.full((5, 5), 1.0)).numbers[0][0] == 1


def test_a_number_that_is_given_is_kept() -> None:
    assert set(linkage_clusters(blocks(3, 3), 4).labels.tolist()) == {0, 1, 2, 3}
    assert linkage_clusters(blocks(3, 3), 1).labels.tolist() == [0] * 6


def test_nothing_and_one_unit() -> None:
    assert linkage_clusters(np.zeros((0, 0))).labels.tolist() == []
    assert linkage_clusters(np.zeros((1, 1))).labels.tolist() == [0]


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_no_single_move_is_better(n: int, seed: int) -> None:
    half = np.random.default_rng(seed).normal(size=(n, n))
    odds = half + half.T
    np.fill_diagonal(odds, 0.0)
    labels = linkage_clusters(odds).labels
    best = objective(odds, labels)
    for unit in range(n):
        for target in range(labels.max() + 2):
            moved = labels.copy()
            moved[unit] = target
            assert objective(odds, moved) <= best + 1e-6
    shares = [share for _, share in linkage_clusters(odds).numbers]
    assert abs(sum(shares) - 1) < 1e-9 and shares == sorted(shares, reverse=True)
