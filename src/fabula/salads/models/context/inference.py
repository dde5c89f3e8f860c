"""``relational.forward`` for numpy, several times faster: the same sums in another order.

- A state is only ever read less its own mean, so the mean is taken out of the matrices that write
  to it, once, and no state has to be centred.
- The three matrices that read a state are one product.
- What goes into triangles is made number by number, [d, pairs], so that each is one matrix product
  on neighbouring memory.
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
    """Weights as ``infer`` takes them."""
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
    b, n, _, features = pairs.shape
    state = pairs.reshape(-1, features) @ ready["in"][0]  # [pairs, d]
    state += ready["in"][1]
    for layer in range(LAYERS):
        _update(ready[str(layer)], state, b, n)
    matrix, bias = ready["out"]
    logits = ((state @ matrix) / _spread(state) + bias).reshape(b, n, n)
    return np.asarray((logits + logits.swapaxes(1, 2)) / 2, dtype=np.float32)


def _spread(state: Floats) -> Floats:
    squares = np.einsum("pi,pi->p", state, state)
    return np.asarray(np.sqrt(squares / state.shape[1] + TINY), dtype=np.float32)


def _update(ready: Mapping[str, Any], state: Floats, b: int, n: int) -> None:
    """Add to each pair what it learns from triangles, rows and the whole salad."""
    d = state.shape[1]
    x = state / _spread(state)[:, None]
    sides = ready["sides"] @ x.T  # [2d, pairs]
    sides += ready["sides.b"]
    left, right = sides.reshape(2, d, b, n, n)
    triangles = left @ right  # [d, b, n, n]: one product for each number and salad
    triangles *= np.float32(n**-0.5)
    rows = x.reshape(b, n, n, d).mean(axis=2)
    wide = x @ ready["own"]
    wide += triangles.reshape(d, -1).T @ ready["around"]
    each = rows @ ready["row"]
    each_and_all = each + (rows.mean(axis=1) @ ready["all"] + ready["wide.b"])[:, None]
    square = wide.reshape(b, n, n, -1)
    square += each_and_all[:, :, None]
    square += each[:, None]
    state += _gate(wide) @ ready["narrow"]
    state += ready["narrow.b"]


def _gate(x: Floats) -> Floats:
    """SiLU, x * sigmoid(x)."""
    with np.errstate(over="ignore"):  # exp of much is inf, and x / inf the right 0
        below = np.exp(-x)
    below += 1
    np.divide(x, below, out=below)
    return below
