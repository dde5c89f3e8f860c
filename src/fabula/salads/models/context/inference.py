"""``relational.forward`` in numpy, several times faster, with sums in another order.

- The centring of layer normalisation is folded into the matrices that write to a state, once.
- The left and right projections of a state are one product.
- The factors of the triangle products are laid out dimension first, [d, pairs], so that each is one
  matrix product on contiguous memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.models.context.relational import LAYERS, TINY

__all__ = ["Prepared", "infer", "prepare"]

Floats = NDArray[np.float32]
Prepared = dict[str, Any]


def prepare(weights: Mapping[str, NDArray[Any]]) -> Prepared:
    """The stored weights, fused and centred for ``infer``."""
    given = {name: np.asarray(value, dtype=np.float32) for name, value in weights.items()}
    size = given["in.w"].shape[1]
    centring = np.eye(size, dtype=np.float32) - np.float32(1 / size)
    ready: Prepared = {"in": (given["in.w"] @ centring, given["in.b"] @ centring)}
    for layer in range(LAYERS):
        part = {name: given[f"{layer}.{name}"] for name in ("left.w", "left.b", "right.w",
                "right.b", "wide.w", "wide.b", "narrow.w", "narrow.b")}  # fmt: skip
        own, around, row, all_ = np.split(part["wide.w"], 4)
        ready[str(layer)] = {
            "sides": np.ascontiguousarray(np.hstack([part["left.w"], part["right.w"]]).T),
            "sides.b": np.concatenate([part["left.b"], part["right.b"]])[:, None],
            "own": own,
            "around": around,
            "row": row,
            "all": all_,
            "wide.b": part["wide.b"],
            "narrow": part["narrow.w"] @ centring,
            "narrow.b": part["narrow.b"] @ centring,
        }
    ready["out"] = (given["out.w"][:, 0], given["out.b"])
    return ready


def infer(ready: Prepared, pairs: Floats) -> Floats:
    """Log-odds that two sentences are of one story: [b, n, n, f] to [b, n, n], symmetric."""
    salads, n, _, features = pairs.shape
    state = pairs.reshape(-1, features) @ ready["in"][0]  # [pairs, d]
    state += ready["in"][1]
    for layer in range(LAYERS):
        _triangle_update(ready[str(layer)], state, salads, n)
    matrix, bias = ready["out"]
    logits = ((state @ matrix) / _standard_deviation(state) + bias).reshape(salads, n, n)
    return np.asarray((logits + logits.swapaxes(1, 2)) / 2, dtype=np.float32)


def _standard_deviation(state: Floats) -> Floats:
    squares = np.einsum("pi,pi->p", state, state)
    return np.asarray(np.sqrt(squares / state.shape[1] + TINY), dtype=np.float32)


def _triangle_update(ready: Mapping[str, Any], state: Floats, salads: int, n: int) -> None:
    """Add to each pair what it learns from triangles, rows and the whole salad."""
    width = state.shape[1]
    x = state / _standard_deviation(state)[:, None]
    sides = ready["sides"] @ x.T  # [2d, pairs]
    sides += ready["sides.b"]
    left, right = sides.reshape(2, width, salads, n, n)
    triangles = left @ right  # [d, b, n, n]: one product for each number and salad
    triangles *= np.float32(n**-0.5)
    rows = x.reshape(salads, n, n, width).mean(axis=2)
    wide = x @ ready["own"]
    wide += triangles.reshape(width, -1).T @ ready["around"]
    each = rows @ ready["row"]
    each_and_all = each + (rows.mean(axis=1) @ ready["all"] + ready["wide.b"])[:, None]
    square = wide.reshape(salads, n, n, -1)
    square += each_and_all[:, :, None]
    square += each[:, None]
    state += _silu(wide) @ ready["narrow"]
    state += ready["narrow.b"]


def _silu(x: Floats) -> Floats:
    """SiLU, x * sigmoid(x)."""
    with np.errstate(over="ignore"):  # exp of much is inf, and x / inf the right 0
        below = np.exp(-x)
    below += 1
    np.divide(x, below, out=below)
    return below
