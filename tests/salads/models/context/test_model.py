"""The model that ships: trained, stored, gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.salads import TASK
from fabula.salads.models.context.model import Context

SALADS = TASK.examples()


class Letters:
    """An encoder that needs nothing: how often each letter is said."""

    def encode(self, sentences: list[str]) -> list[list[float]]:
        alphabet = "abcdefghijklmnopqrstuvwxyz"
        return [[text.count(letter) + 0.1 for letter in alphabet] for text in sentences]


def model(**parameters: object) -> Context:
    return Context(encoder=Letters(), width=4, epochs=1, **parameters)  # type: ignore[arg-type]


def test_salads_of_any_size_and_number_in_one_call_are_as_alone() -> None:
    shipped = Context(encoder=Letters())
    unknown = replace(SALADS[1], stories=None, labels=None)
    single = replace(unknown, sentences=("One.",), stories=2)
    many = [*SALADS, unknown, single, SALADS[0]]
    for salad, found in zip(many, shipped.group(many), strict=True):
        (alone,) = shipped.group([salad])
        assert found.labels == alone.labels
        assert np.allclose(found.probabilities, alone.probabilities, atol=1e-5)
    assert shipped.group([]) == []


def test_trained_stored_and_gone_on_with(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    trained = model().fit(SALADS, SALADS)
    trained.save(tmp_path / "first")
    loaded = Context.load(tmp_path / "first")
    loaded.encoder = Letters()
    assert loaded.group(SALADS) == trained.group(SALADS)
    further = model(start=str(tmp_path / "first"), rate=1e-9).fit(SALADS, SALADS)
    fresh = model(seed=1, rate=1e-9).fit(SALADS, SALADS)
    for name, weight in trained.weights_.items():
        assert np.allclose(weight, further.weights_[name], atol=1e-5)
    assert any(
        abs(weight - fresh.weights_[n]).max() > 0.1 for n, weight in trained.weights_.items()
    )


def test_answers_are_needed_to_train() -> None:
    with pytest.raises(UsageError, match="no labels"):
        model().fit([replace(SALADS[0], labels=None)])
