"""Clustering of a sparse graph: against the dense one, and what never comes together."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.salads.clustering.sparse_correlation import connected_blocks, sparse_clusters


def all_pairs(log_odds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = np.triu_indices(len(log_odds), 1)
    return first, second, log_odds[first, second]


def planted(seed: int, stories: int = 4, size: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = np.repeat(np.arange(stories), size)
    noise = rng.normal(0, 1.0, (len(gold), len(gold)))
    log_odds = np.where(gold[:, None] == gold[None, :], 1.5, -1.5) + (noise + noise.T) / 2
    return gold, log_odds


@pytest.mark.parametrize("seed", range(5))
def test_planted_stories_are_found(seed: int) -> None:
    gold, log_odds = planted(seed)
    labels = sparse_clusters(len(gold), *all_pairs(log_odds), absent=-1.0)
    assert np.array_equal(labels, gold)


def test_pairs_that_were_not_compared_speak_against() -> None:
    # A chain of strong links: its ends were never compared.
    n = 8
    first, second = np.arange(n - 1), np.arange(1, n)
    odds = np.full(n - 1, 2.0)
    together = sparse_clusters(n, first, second, odds, absent=-0.1)
    apart = sparse_clusters(n, first, second, odds, absent=-5.0)
    assert together.max() == 0
    assert apart.max() >= 2


def test_the_order_of_the_pairs_does_not_matter() -> None:
    gold, log_odds = planted(3)
    first, second, odds = all_pairs(log_odds)
    order = np.random.default_rng(0).permutation(len(odds))
    one = sparse_clusters(len(gold), first, second, odds, absent=-1.0)
    other = sparse_clusters(len(gold), first[order], second[order], odds[order], absent=-1.0)
    assert np.array_equal(one, other)


def test_what_is_to_stay_apart_stays_apart() -> None:
    gold, log_odds = planted(1, stories=1, size=6)
    owner = np.array([0, 1, -1, -1, -1, -1])
    labels = sparse_clusters(len(gold), *all_pairs(log_odds), absent=-1.0, apart=owner)
    assert labels[0] != labels[1]
    assert set(labels[2:]) <= {labels[0], labels[1]}


def test_blocks_are_connected_components() -> None:
    blocks = connected_blocks(6, np.array([0, 4]), np.array([2, 5]))
    assert [block.tolist() for block in blocks] == [[0, 2], [1], [3], [4, 5]]


def test_nothing_to_cluster() -> None:
    none = np.zeros(0, np.int64)
    assert len(sparse_clusters(0, none, none, none.astype(float), absent=-1.0)) == 0
    assert sparse_clusters(2, none, none, none.astype(float), absent=-1.0).tolist() == [0, 1]
