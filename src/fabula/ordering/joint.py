"""The joint layers: units that see each other while being read, and a score for every pair.

Two pre-norm transformer layers over the states of all units of a text. Half of the heads see the
states of their own unit, the other half those of all units; nothing tells where a unit stands, so
the answer cannot depend on the order given. In numpy, so that ordering needs no torch;
``joint_training`` holds the same network for training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

__all__ = ["HEAD_SIZE", "attend", "gelu", "linear", "norm", "pair_logits", "pooled_pairs"]

HEAD_SIZE = 32
_ROWS = 512  # states whose attention is computed at once; bounds the memory of long texts

Floats = NDArray[np.float32]


def pair_logits(weights: Mapping[str, Floats], states: Sequence[Floats]) -> Floats:
    """n x n log-odds that unit i stands before unit j, antisymmetric, before calibration."""
    unit = np.repeat(np.arange(len(states)), [len(part) for part in states])
    x = np.concatenate(states)
    x = linear(weights, "inp.1", norm(weights, "inp.0", x))
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for layer in range(layers):
        name = f"layers.{layer}."
        joined = linear(weights, f"{name}qkv", norm(weights, f"{name}n1", x))
        x = x + linear(weights, f"{name}out", attend(joined, unit))
        wide = gelu(linear(weights, f"{name}up", norm(weights, f"{name}n2", x)))
        x = x + linear(weights, f"{name}down", wide)
    return pooled_pairs(weights, norm(weights, "norm", x), unit)


def pooled_pairs(weights: Mapping[str, Floats], x: Floats, unit: NDArray[np.int64]) -> Floats:
    """The pair scores of units that are the mean of their states and the first of them."""
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    mean = np.add.reduceat(x, starts, axis=0) / np.bincount(unit)[:, None]
    z = np.concatenate([mean, x[starts]], axis=1).astype(np.float32)
    return _pairs(weights, z)


def _pairs(weights: Mapping[str, Floats], z: Floats) -> Floats:
    one, two = linear(weights, "a", z), z @ weights["b.weight"].T
    out = weights["w.weight"][0]
    score = np.empty((len(z), len(z)), dtype=np.float32)
    for i, row in enumerate(one):
        score[i] = np.maximum(row + two, 0.0) @ out
    return score - score.T


def attend(joined: Floats, unit: NDArray[np.int64]) -> Floats:
    """Queries, keys and values side by side to what each state sees; half of the heads see all."""
    size = joined.shape[1] // 3
    heads = size // HEAD_SIZE
    q, k, v = joined.reshape(len(joined), 3, heads, HEAD_SIZE).transpose(1, 2, 0, 3)
    q = q * np.float32(HEAD_SIZE**-0.5)
    seen = np.empty_like(q)
    for at in range(0, len(joined), _ROWS):
        rows = slice(at, at + _ROWS)
        scores = q[:, rows] @ k.transpose(0, 2, 1)
        apart = unit[rows, None] != unit[None, :]
        scores[: heads // 2, apart] = -1e4
        scores -= scores.max(axis=2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=2, keepdims=True)
        seen[:, rows] = scores @ v
    return seen.transpose(1, 0, 2).reshape(len(joined), size)


def gelu(x: Floats) -> Floats:
    return np.asarray(x * (0.5 * (1.0 + erf(x * np.float32(np.sqrt(0.5))))))


def linear(weights: Mapping[str, Floats], name: str, x: Floats) -> Floats:
    return np.asarray(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def norm(weights: Mapping[str, Floats], name: str, x: Floats, epsilon: float = 1e-5) -> Floats:
    centred = x - x.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(epsilon))
    return np.asarray(centred / scale * weights[f"{name}.weight"] + weights[f"{name}.bias"])
