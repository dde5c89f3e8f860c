"""The relational network: pair features to pair log-odds, by triangle updates of pair states.

Written once for numpy and torch, for training and as the reference that ``inference.py`` (numpy
alone, faster) is tested against.

Shapes: b salads of n sentences each, f features of a pair, d dimensions of a state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LAYERS", "TINY", "forward", "initial_weights"]

LAYERS = 3
TINY = 1e-5

Weights = dict[str, Any]


def initial_weights(
    features: int, width: int = 32, seed: int = 0
) -> dict[str, np.ndarray[Any, Any]]:
    """Random weights by Xavier initialisation."""
    rng = np.random.default_rng(seed)
    weights: dict[str, np.ndarray[Any, Any]] = {}

    def linear(name: str, inputs: int, outputs: int, gain: float = 1.0) -> None:
        bound = gain * np.sqrt(6 / (inputs + outputs))
        weights[f"{name}.w"] = rng.uniform(-bound, bound, (inputs, outputs)).astype(np.float32)
        weights[f"{name}.b"] = np.zeros(outputs, dtype=np.float32)

    linear("in", features, width)
    for layer in range(LAYERS):
        linear(f"{layer}.left", width, width)
        linear(f"{layer}.right", width, width)
        linear(f"{layer}.wide", 4 * width, 2 * width)
        linear(f"{layer}.narrow", 2 * width, width, gain=0.5)
    linear("out", width, 1)
    return weights


def forward(weights: Weights, pairs: Any) -> Any:
    """Log-odds that two sentences are of one story: [b, n, n, f] to [b, n, n], symmetric."""
    state = _linear(weights, "in", pairs)  # [b, n, n, d]
    for layer in range(LAYERS):
        state = state + _triangle_update(weights, str(layer), _layer_norm(state))
    logits = _linear(weights, "out", _layer_norm(state))[..., 0]
    return (logits + logits.swapaxes(1, 2)) / 2


def _triangle_update(weights: Weights, layer: str, x: Any) -> Any:
    """The update of pair ij from the pairs ik and kj (triangles), its two rows and the salad."""
    n = x.shape[1]
    left, right = _linear(weights, f"{layer}.left", x), _linear(weights, f"{layer}.right", x)
    # Triangles: sum over k of left[i, k] * right[k, j], one matrix product for each of d numbers.
    left, right = left.swapaxes(1, 3).swapaxes(2, 3), right.swapaxes(1, 3).swapaxes(2, 3)
    triangles = (left @ right).swapaxes(2, 3).swapaxes(1, 3) / n**0.5
    rows = x.mean(2)  # [b, n, d]
    # One matrix over [pair; triangles; rows of i + rows of j; whole salad], a block at a time:
    # what is the same for a row or for the salad is multiplied once, not for every pair.
    own, around, row, all_ = _blocks(weights[f"{layer}.wide.w"], x.shape[-1])
    each = rows @ row
    wide = _product(x, own) + _product(triangles, around) + each[:, :, None] + each[:, None]
    wide = wide + (rows.mean(1) @ all_ + weights[f"{layer}.wide.b"])[:, None, None]
    return _linear(weights, f"{layer}.narrow", _silu(wide))


def _blocks(matrix: Any, height: int) -> list[Any]:
    return [matrix[at : at + height] for at in range(0, len(matrix), height)]


def _linear(weights: Weights, name: str, x: Any) -> Any:
    return _product(x, weights[f"{name}.w"]) + weights[f"{name}.b"]


def _product(x: Any, matrix: Any) -> Any:
    # All pairs as the rows of one matrix: numpy would multiply a 4-d array row by row.
    return (x.reshape(-1, x.shape[-1]) @ matrix).reshape(*x.shape[:-1], -1)


def _layer_norm(x: Any) -> Any:
    """Layer normalisation: mean 0 and variance 1 over the dimensions of a state."""
    centred = x - x.mean(-1)[..., None]
    return centred / ((centred * centred).mean(-1)[..., None] + TINY) ** 0.5


def _silu(x: Any) -> Any:
    """SiLU, x * sigmoid(x)."""
    if isinstance(x, np.ndarray):
        with np.errstate(over="ignore"):  # exp of much is inf, and x / inf the right 0
            below = np.exp(-x)
        below += 1
        return np.divide(x, below, out=below)
    return x * x.sigmoid()
