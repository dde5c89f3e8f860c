"""The network that ships is the network that is trained."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.salads.models.context.inference import infer, prepare
from fabula.salads.models.context.relational import forward, initial_weights


@pytest.mark.parametrize(("b", "n"), [(1, 1), (1, 2), (3, 7), (2, 20)])
def test_as_the_trained_one(b, n):
    rng = np.random.default_rng(n)
    weights = initial_weights(5, 8, seed=n)
    for name in weights:  # biases start at 0, and would hide an error
        if name.endswith(".b"):
            weights[name] += rng.normal(size=weights[name].shape).astype(np.float32)
    x = rng.normal(size=(b, n, n, 5)).astype(np.float32)
    odds = infer(prepare(weights), x)
    assert odds.shape == (b, n, n)
    assert np.allclose(odds, forward(weights, x), atol=1e-4)


def test_no_number_is_too_large():
    weights = {name: 50 * value for name, value in initial_weights(5, 8).items()}
    x = np.full((1, 3, 3, 5), 1e6, dtype=np.float32)
    assert np.isfinite(infer(prepare(weights), x)).all()
