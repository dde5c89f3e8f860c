from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fabula.errors import UnknownName
from fabula.salads.clustering.by_name import CLUSTERERS, average_linkage, cluster_pairs, distances

Scores = NDArray[np.float64]


def pair_scores(sizes: tuple[int, ...], noise: float = 0.1, seed: int = 0) -> tuple[Scores, Any]:
    """P(same story) of planted stories, mixed."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    scores = np.where(labels[:, None] == labels[None, :], 0.8, 0.2)
    return np.clip(scores + rng.normal(0, noise, scores.shape), 0, 1), labels


def same_pairs(labels: Any) -> Any:
    return np.asarray(labels)[:, None] == np.asarray(labels)[None, :]


@pytest.mark.parametrize("how", CLUSTERERS)
@pytest.mark.parametrize("k", [3, None])
def test_any_clusterer_runs_on_pair_scores(how: str, k: int | None) -> None:
    scores, labels = pair_scores((7, 6, 5))
    found = cluster_pairs(scores, k, how=how)
    assert (same_pairs(found) == same_pairs(labels)).all()


@given(
    st.sampled_from(sorted(CLUSTERERS)),
    st.integers(0, 1000),
    st.integers(1, 9),
    st.one_of(st.none(), st.integers(1, 12)),
)
def test_labels_are_in_order_in_range_and_repeat(
    how: str, seed: int, n: int, k: int | None
) -> None:
    scores = np.random.default_rng(seed).uniform(size=(n, n))
    before = scores.copy()
    labels = cluster_pairs(scores, k, how=how, seed=seed)
    assert (scores == before).all()
    assert (labels == cluster_pairs(scores, k, how=how, seed=seed)).all()
    assert labels.shape == (n,) and len(set(labels.tolist())) <= (k or n)
    firsts = list(dict.fromkeys(labels.tolist()))
    assert firsts == list(range(len(firsts)))


@pytest.mark.parametrize("how", CLUSTERERS)
def test_all_the_same(how: str) -> None:
    assert set(cluster_pairs(np.ones((6, 6)), how=how).tolist()) == {0}
    assert len(set(cluster_pairs(np.ones((6, 6)), 3, how=how).tolist())) <= 3
    assert cluster_pairs(np.ones((1, 1)), 3, how=how).tolist() == [0]
    assert cluster_pairs(np.ones((0, 0)), how=how).tolist() == []


@pytest.mark.parametrize("how", CLUSTERERS)
def test_a_score_that_depends_on_the_order_is_averaged(how: str) -> None:
    scores, _ = pair_scores((5, 5), noise=0.3)
    both = (scores + scores.T) / 2
    for other in (scores.T, both):
        assert (cluster_pairs(scores, 2, how=how) == cluster_pairs(other, 2, how=how)).all()


@given(st.integers(0, 1000), st.integers(2, 12), st.integers(1, 5))
def test_average_linkage_as_sklearn(seed: int, n: int, k: int) -> None:
    from sklearn.cluster import AgglomerativeClustering

    k = min(k, n)
    rows = np.random.default_rng(seed).normal(size=(n, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    distance = distances(rows @ rows.T)
    theirs = AgglomerativeClustering(k, metric="precomputed", linkage="average").fit(distance)
    assert (same_pairs(average_linkage(distance, k)) == same_pairs(theirs.labels_)).all()


def test_average_linkage_gives_the_number_even_where_heights_are_equal() -> None:
    assert len(set(average_linkage(1 - np.eye(6), 3).tolist())) == 3


def test_distances() -> None:
    assert distances(np.array([[0.0, 1.2], [1.2, 1.0]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_an_unknown_clusterer() -> None:
    with pytest.raises(UnknownName, match="unknown clusterer 'kmedoid': did you mean 'kmedoids'"):
        cluster_pairs(np.eye(3), 2, how="kmedoid")
