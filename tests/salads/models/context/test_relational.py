"""One network for numpy and torch."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.salads.models.context.relational import forward, initial_weights

RNG = np.random.default_rng(0)


def symmetric(b: int, n: int, f: int) -> np.ndarray:
    x = RNG.normal(size=(b, n, n, f)).astype(np.float32)
    return (x + x.transpose(0, 2, 1, 3)) / 2


def test_symmetric_output():
    odds = forward(initial_weights(5, 8), symmetric(2, 6, 5))
    assert odds.shape == (2, 6, 6)
    assert np.allclose(odds, odds.transpose(0, 2, 1), atol=1e-5)


def test_sentences_may_stand_in_any_order():
    weights, x = initial_weights(5, 8), symmetric(1, 7, 5)
    order = RNG.permutation(7)
    shuffled = forward(weights, x[:, order][:, :, order])
    assert np.allclose(shuffled, forward(weights, x)[:, order][:, :, order], atol=1e-4)


def test_salads_of_a_batch_do_not_touch():
    weights, x = initial_weights(5, 8), symmetric(3, 6, 5)
    assert np.allclose(forward(weights, x)[1], forward(weights, x[1:2])[0], atol=1e-5)


def test_numpy_and_torch_agree():
    torch = pytest.importorskip("torch")
    weights, x = initial_weights(5, 8), symmetric(2, 6, 5)
    same = forward({name: torch.tensor(w) for name, w in weights.items()}, torch.tensor(x))
    assert np.allclose(same.numpy(), forward(weights, x), atol=1e-5)


def test_a_pair_reads_the_others():
    """Changing the pair 2-3 must change what is said of the pair 0-1: that is the context."""
    weights, x = initial_weights(5, 8), symmetric(1, 6, 5)
    other = x.copy()
    other[0, 2, 3] += 1
    other[0, 3, 2] += 1
    assert abs(forward(weights, other) - forward(weights, x))[0, 0, 1] > 1e-6
