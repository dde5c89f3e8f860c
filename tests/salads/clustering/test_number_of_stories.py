"""The criteria for the number of stories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.salads.clustering.test_vectors import Vectors, blobs, vectors

from fabula.salads.clustering import number_of_stories
from fabula.salads.clustering.number_of_stories import (
    cost_by_story_length,
    cost_per_sentence,
    k_for_rows,
    mean_silhouette,
)
from fabula.salads.clustering.vectors import centre, split


def test_costs_by_hand() -> None:
    log_odds = np.full((18, 18), -2.0)
    np.fill_diagonal(log_odds, 0.0)
    assert cost_per_sentence(log_odds, 1) == 0 and cost_per_sentence(log_odds, 3) == 36
    assert cost_by_story_length(log_odds, 1) == 0
    assert cost_by_story_length(log_odds, 3) == pytest.approx(18 * 2.0 * (1.0 + 0.8))


@given(vectors, st.integers(2, 4))
def test_silhouette_as_sklearn(points: Vectors, k: int) -> None:
    from sklearn.metrics import silhouette_score

    rows = centre(points)
    labels = split(rows, k)
    used, compact = np.unique(labels, return_inverse=True)
    similarity = rows @ rows.T
    ours = mean_silhouette(similarity, labels)
    assert -1 <= ours <= 1
    if 2 <= len(used) < len(points):
        distance = np.maximum(1 - similarity, 0)
        np.fill_diagonal(distance, 0)
        zeros = np.linalg.norm(rows, axis=1) < 1e-6  # such a row is at distance 1 from itself
        if not zeros.any():
            theirs = silhouette_score(distance, compact, metric="precomputed")
            assert ours == pytest.approx(theirs, abs=1e-6)


def test_the_number_is_found_from_a_sample_of_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    points, _ = blobs(3, each=40)
    monkeypatch.setattr(number_of_stories, "SAMPLE", 30)
    seen = []

    def divide(rows: Any, k: int) -> Any:
        seen.append(len(rows))
        return split(rows, k)

    assert k_for_rows(centre(points), divide) == 3
    assert set(seen) == {30}
