from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from fabula.salads.clustering import vectors as cluster
from fabula.salads.clustering.number_of_stories import k_for_rows
from fabula.salads.clustering.vectors import (
    centre,
    leading,
    memberships,
    principal,
    spectral,
    split,
    unit,
)

Vectors = NDArray[np.float64]

vectors = st.integers(1, 12).flatmap(
    lambda n: arrays.arrays(np.float64, (n, 4), elements=st.integers(-2, 2).map(float))
)


def blobs(k: int, each: int = 8, spread: float = 0.1) -> tuple[Vectors, list[int]]:
    """k well-separated groups, their members mixed."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(k), each))
    points = np.eye(16)[labels] + rng.normal(0, spread / 4, (len(labels), 16))
    return points, labels.tolist()


def same(one: Any, other: Any) -> bool:
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


@given(vectors)
def test_centred_rows_have_length_one_or_none(rows: Vectors) -> None:
    lengths = np.linalg.norm(centre(rows), axis=1)
    assert np.all(np.isclose(lengths, 1) | (lengths < 1e-6))
    assert np.isfinite(centre(rows)).all()


@given(vectors, st.integers(1, 14))
def test_labels_are_in_range_and_repeat(points: Vectors, k: int) -> None:
    rows = centre(points)
    labels = split(rows, k)
    assert labels.shape == (len(points),) and labels.dtype == np.int64
    assert labels.min() >= 0 and labels.max() < min(k, len(points))
    assert (split(rows.copy(), k) == labels).all()


@given(vectors, st.integers(1, 6))
def test_memberships_are_probabilities(points: Vectors, k: int) -> None:
    rows = centre(points)
    labels = split(rows, k)
    shares = memberships(rows, labels, sharpness=12.0)
    assert shares.shape == (len(points), labels.max() + 1)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(points)))
    assert shares.min() >= 0


def test_a_sentence_is_no_evidence_for_itself() -> None:
    alone = memberships(np.eye(3), np.arange(3), sharpness=12.0)
    assert alone == pytest.approx(np.full((3, 3), 1 / 3))


@given(vectors, st.integers(1, 8))
def test_the_number_found_is_allowed(points: Vectors, most: int) -> None:
    found = k_for_rows(centre(points), split, most=most)
    assert 1 <= found <= max(1, min(most, len(points) // 3))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_groups_far_apart_are_found_and_counted(k: int) -> None:
    points, labels = blobs(k)
    rows = centre(points)
    assert same(split(rows, k).tolist(), labels)
    assert k_for_rows(rows, split) == k
    sure = memberships(rows, split(rows, k), 12.0).max(axis=1)
    assert sure.min() > 0.9


@pytest.mark.parametrize("k", [2, 3])
def test_the_order_of_the_rows_does_not_matter(k: int) -> None:
    points, _ = blobs(k, spread=1.0)
    turned = np.random.default_rng(1).permutation(len(points))
    one = split(centre(points), k)[turned].tolist()
    assert same(one, split(centre(points[turned]), k).tolist())


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_vectors_are_one_story(value: float) -> None:
    rows = centre(np.full((6, 4), value))
    assert (split(rows, 2) == 0).all() and len(set(split(rows, 3).tolist())) == 1
    assert k_for_rows(rows, split) == 1
    assert memberships(rows, split(rows, 3), 12.0) == pytest.approx(np.ones((6, 1)))


def test_one_sentence() -> None:
    rows = centre(np.ones((1, 4)))
    assert split(rows, 5).tolist() == [0]
    assert k_for_rows(rows, split) == 1


def test_leading_coordinates_keep_the_distances() -> None:
    rows = centre(np.random.default_rng(0).normal(size=(6, 20)))
    points = leading(rows, 6)
    assert points @ points.T == pytest.approx(rows @ rows.T)
    largest = points[np.abs(points).argmax(axis=0), np.arange(6)]
    assert (largest > -1e-9).all()


def test_more_rows_than_numbers_give_the_same_coordinates() -> None:
    rows = centre(np.random.default_rng(0).normal(size=(30, 5)))
    ours, plain = leading(rows, 3), principal(rows @ rows.T, 3)
    assert ours == pytest.approx(plain)


def test_few_eigenvectors_of_a_large_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(60, 80)) * np.linspace(3, 1, 80)
    whole = principal(rows @ rows.T, 3)
    monkeypatch.setattr(cluster, "DENSE_UP_TO", 10)
    assert principal(rows @ rows.T, 3) == pytest.approx(whole, abs=1e-6)


@given(vectors, st.integers(1, 14))
def test_spectral_labels_are_in_range_and_repeat(points: Vectors, k: int) -> None:
    similarity = unit(points) @ unit(points).T
    before = similarity.copy()
    labels = spectral(similarity, k)
    assert (similarity == before).all()
    assert labels.shape == (len(points),) and labels.dtype == np.int64
    assert labels.min() >= 0 and labels.max() < min(k, len(points))
    assert (spectral(similarity.copy(), k) == labels).all()


@pytest.mark.parametrize("k", [2, 3, 4])
def test_spectral_finds_what_sklearn_finds(k: int) -> None:
    from sklearn.cluster import SpectralClustering

    points, labels = blobs(k, spread=0.4)
    similarity = np.maximum(unit(points) @ unit(points).T, 0)
    theirs = SpectralClustering(k, affinity="precomputed", random_state=0).fit(similarity)
    assert same(spectral(similarity, k).tolist(), theirs.labels_.tolist())
    assert same(spectral(similarity, k).tolist(), labels)


def test_spectral_of_equal_sentences_is_one_story() -> None:
    assert set(spectral(np.ones((6, 6)), 2).tolist()) == {0}
    assert set(spectral(np.ones((6, 6)), 3).tolist()) == {0}
