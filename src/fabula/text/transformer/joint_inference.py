"""Cross-sentence encoder in numpy: vectors of a text's units, each attending to all the others.

The lower layers (four of MiniLM's six, six of MPNet's twelve) encode each unit by itself, in ONNX
Runtime; a unit's token states are then pooled to at most ``MAX_STATES``, so that a paragraph weighs
no more than a long sentence. The upper layers, in numpy, attend over the states of all units,
except that half of the heads stay within the unit. A unit's vector is the mean of its states
concatenated with the first. No position of a unit is encoded, so vectors do not depend on the
order given. ``joint_training`` has the same network in torch; inference needs no torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from fabula.core.progress import track
from fabula.core.threads import core_count, one_blas_thread
from fabula.text.transformer.onnx import LEVELS, Session
from fabula.text.transformer.spec import (
    MINILM,
    Backbone,
    layers_only,
    relative_position_buckets,
    windows,
)

__all__ = [
    "MASKED",
    "MAX_STATES",
    "CrossSentenceEncoder",
    "attention_biases",
    "dequantise",
    "pool_indices",
    "pool_states",
    "quantise",
]

MAX_STATES = 16  # states of a unit after pooling
MASKED = -1e4  # added to an attention score: exp makes it zero
_TEXT_STATES = 2400  # of one text: units of a longer text are pooled to fewer states
_CACHED_UNITS, _CACHED_TOKENS = 600, 64  # parts of a long text have many units in common
CHUNK_ROWS = 256  # states that go through a layer at once; bounds the memory of long texts
_FURTHEST = 1000  # states apart: in the last relative position bucket
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Weights = Mapping[str, Floats]


class CrossSentenceEncoder:
    """The network with its weights, named as in ``spec``; absent lower layers are the packaged.

    The optional weight ``layers.N.see`` is each head's learnt attention bias on other units.
    """

    def __init__(self, weights: Weights, backbone: Backbone = MINILM) -> None:
        self.weights = layers_only(weights, range(backbone.lower_layers, backbone.layers))
        self.lower_weights = weights  # read once, for the session
        self.backbone = backbone
        self._cache: dict[str, Floats] = {}  # token states of recent units

    def encode(self, units: Sequence[str]) -> Floats:
        """Vectors [units, 2 x dimension] of the units of one text."""
        max_states = min(MAX_STATES, max(2, _TEXT_STATES // max(1, len(units))))
        return self.attend(self.unit_states(units, max_states))

    def unit_states(
        self, units: Sequence[str], max_states: int = MAX_STATES, *, progress: bool = True
    ) -> list[Floats]:
        """Each unit's pooled states [at most ``max_states``, dimension] after the lower layers.

        Equal units are encoded once; a unit longer than the window in several windows.
        """
        cached = self._cache
        missing = [unit for unit in dict.fromkeys(units) if unit not in cached]
        session = self._lower
        token_ids = self.backbone.token_ids(missing)

        def token_states(ids: list[int]) -> Floats:
            return np.concatenate([session.run(window) for window in windows(ids)])

        with ThreadPoolExecutor(core_count()) as pool:
            results = pool.map(token_states, token_ids)
            if progress:
                computed = list(track(results, "reading units", total=len(token_ids)))
            else:
                computed = list(results)
        states = {**cached, **dict(zip(missing, computed, strict=True))}
        short = {unit: rows for unit, rows in states.items() if len(rows) <= _CACHED_TOKENS}
        self._cache = short if len(short) <= _CACHED_UNITS else {}
        return [pool_states(states[unit], max_states) for unit in units]

    def attend(self, states: Sequence[Floats]) -> Floats:
        """Vectors of the units of one text from their states, through the upper layers."""
        unit = np.repeat(np.arange(len(states)), [len(rows) for rows in states])
        x = np.concatenate(states)
        # Threads over rows, none inside a product: it is too small, and waiting threads are slow.
        with one_blas_thread(), ThreadPoolExecutor(core_count()) as pool:
            for layer in range(self.backbone.lower_layers, self.backbone.layers):
                x = self._cross_layer(f"layers.{layer}.", x, unit, pool)
        return _unit_vectors(x, unit)

    def _cross_layer(self, prefix: str, x: Floats, unit: Ints, pool: Any) -> Floats:
        """One layer over the states of all units, in chunks of rows that stay in the cache."""
        chunks = [slice(start, start + CHUNK_ROWS) for start in range(0, len(x), CHUNK_ROWS)]
        qkv = np.concatenate(
            list(pool.map(lambda rows: self._linear(f"{prefix}qkv", x[rows]), chunks))
        )
        attention = self._attention(prefix, qkv, unit)
        outputs = pool.map(
            lambda rows: self._feed_forward(prefix, x[rows], attention.output(rows)), chunks
        )
        return np.concatenate(list(outputs))

    def _attention(self, prefix: str, qkv: Floats, unit: Ints) -> _Attention:
        other_unit_bias, relative_bias = self._initial_biases
        learnt_bias = self.weights.get(f"{prefix}see", other_unit_bias)
        return _Attention(qkv, unit, learnt_bias, relative_bias)

    @cached_property
    def _initial_biases(self) -> tuple[Floats, Floats | None]:
        return attention_biases(self.backbone)

    def _feed_forward(self, prefix: str, x: Floats, attended: Floats) -> Floats:
        """A layer after its attention: output map, two layer norms, the feed-forward block."""
        y = self._norm(f"{prefix}n1", x + self._linear(f"{prefix}out", attended))
        inner = _gelu(self._linear(f"{prefix}up", y))
        return self._norm(f"{prefix}n2", y + self._linear(f"{prefix}down", inner))

    @cached_property
    def _lower(self) -> Session:
        lower = self.backbone.lower_layers
        return Session(self.backbone, "int8", layers=lower, tuned=self.lower_weights)

    def _linear(self, name: str, x: Floats) -> Floats:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(axis=1, keepdims=True)
        scale = np.sqrt(
            (centred**2).mean(axis=1, keepdims=True) + np.float32(self.backbone.epsilon)
        )
        return np.asarray(
            centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        )


def quantise(weights: Weights) -> dict[str, NDArray[Any]]:
    """Weights for storage: the layers' matrices as int8 with a scale a row, the rest as float16."""
    stored: dict[str, NDArray[Any]] = {}
    for name, value in weights.items():
        if name.startswith("layers.") and value.ndim == 2:
            scale = (np.abs(value).max(axis=1) / LEVELS).astype(np.float32)
            rounded = np.round(value / np.maximum(scale, 1e-12)[:, None])
            stored[name] = np.clip(rounded, -LEVELS, LEVELS).astype(np.int8)
            stored[f"{name}.scale"] = scale
        else:
            stored[name] = value.astype(np.float16)
    return stored


class _Dequantised(Mapping[str, Floats]):
    """Stored weights as float32, made when asked for: all at once are four times larger."""

    def __init__(self, stored: Mapping[str, NDArray[Any]]) -> None:
        self._stored = stored

    def __getitem__(self, name: str) -> Floats:
        value = self._stored[name]
        scale = self._stored[f"{name}.scale"][:, None] if value.dtype == np.int8 else 1
        return np.asarray(value.astype(np.float32) * scale)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._stored if not name.endswith(".scale"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def dequantise(stored: Mapping[str, NDArray[Any]]) -> Weights:
    """The float32 weights of what ``quantise`` stored."""
    return _Dequantised(stored)


def attention_biases(backbone: Backbone) -> tuple[Floats, Floats | None]:
    """The upper layers' initial biases: one a head on other units, and the relative positions'.

    Half of the heads are masked from other units; to the rest, with relative positions,
    other units are as far away as the position buckets can say.
    """
    relative_bias = backbone.embeddings()["near"] if backbone.relative_positions else None
    other_unit_bias = np.zeros(backbone.heads, dtype=np.float32)
    if relative_bias is not None:
        furthest = relative_position_buckets(np.array([0]), np.array([-_FURTHEST, _FURTHEST]))[0]
        other_unit_bias = relative_bias[furthest].mean(axis=0)
    other_unit_bias[: backbone.heads // 2] = MASKED
    return other_unit_bias, relative_bias


def pool_states(states: Floats, max_states: int) -> Floats:
    """Mean-pool token states to at most ``max_states``; the first and last stay as they are.

    How a unit opens and closes says most about its position in the text.
    """
    index = pool_indices(len(states), max_states)
    starts = np.flatnonzero(np.diff(index, prepend=-1))
    sums = np.add.reduceat(states, starts, axis=0)
    return np.asarray(sums / np.bincount(index)[:, None], dtype=np.float32)


def pool_indices(tokens: int, max_states: int) -> Ints:
    """For each token of a unit the number of the pooled state that averages it.

    >>> pool_indices(12, 8).tolist()
    [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 7]
    """
    head, tail = max_states // 2, max(1, max_states // 8)
    if tokens <= max_states:
        return np.arange(tokens)
    middle = tokens - head - tail
    edges = np.linspace(0, middle, max_states - head - tail + 1).astype(int)
    inner = np.searchsorted(edges, np.arange(middle), side="right") - 1
    return np.concatenate([np.arange(head), head + inner, np.arange(max_states - tail, max_states)])


def _unit_vectors(x: Floats, unit: Ints) -> Floats:
    """Each unit's mean state and first state, concatenated."""
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    mean = np.add.reduceat(x, starts, axis=0) / np.bincount(unit)[:, None]
    return np.concatenate([mean, x[starts]], axis=1).astype(np.float32)


class _Attention:
    """Multi-head attention over the states of all units, from concatenated queries, keys, values.

    Scores of states in another unit get the head's ``other_unit_bias``, those within a unit the
    ``relative_bias`` of their distance.
    """

    def __init__(
        self, qkv: Floats, unit: Ints, other_unit_bias: Floats, relative_bias: Floats | None
    ) -> None:
        heads = len(other_unit_bias)
        size = qkv.shape[1] // (3 * heads)
        split = qkv.reshape(len(qkv), 3, heads, size).transpose(1, 2, 0, 3)
        self.q, self.k, self.v = np.ascontiguousarray(split)
        self.q *= np.float32(size**-0.5)
        self.unit = unit
        self.other_unit_bias = other_unit_bias.tolist()
        self.relative_bias = relative_bias
        counts = np.bincount(unit)
        self.position = np.arange(len(unit)) - np.repeat(np.cumsum(counts) - counts, counts)

    def output(self, rows: slice) -> Floats:
        """The attention output of these rows, heads concatenated."""
        outputs = [np.zeros(0, dtype=np.float32)] * len(self.other_unit_bias)
        is_other = self.unit[rows, None] != self.unit[None, :]
        other = is_other.astype(np.float32)
        buckets = None
        if self.relative_bias is not None:
            buckets = relative_position_buckets(self.position[rows], self.position)
        for head, other_bias in enumerate(self.other_unit_bias):
            scores = self.q[head, rows] @ self.k[head].T
            if other_bias:
                scores += np.float32(other_bias) * other
            if buckets is not None and self.relative_bias is not None:
                scores += np.where(is_other, np.float32(0), self.relative_bias[:, head][buckets])
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            outputs[head] = scores @ self.v[head] / scores.sum(axis=1, keepdims=True)
        return np.concatenate(outputs, axis=1)


def _gelu(x: Floats) -> Floats:
    return np.asarray(x * (0.5 * (1.0 + erf(x * np.float32(np.sqrt(0.5))))))
