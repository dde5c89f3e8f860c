"""MiniLM trained further for a task: the units of a text, read so that they see each other.

Four layers read each unit by itself, as MiniLM does; its states are shortened, so that a paragraph
weighs no more than a long sentence; two more layers see the states of all units, half of their
heads only those of the own unit. A unit then is the mean of its states beside the first of them.
Nothing tells where a unit stands, so the answer cannot depend on the order given.

The lower layers run in ONNX Runtime as those of the encoder do, the upper ones in numpy: reading
needs no torch. ``tuning`` holds the same network for training.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from fabula.progress import track
from fabula.text import resources
from fabula.text.minilm import DIMENSION, EPSILON, LEVELS, WINDOW, build_graph

__all__ = [
    "HEAD_SIZE", "KEPT", "LAYERS", "LOWER", "Tuned", "layers_of", "packed", "shorten", "slots",
    "unpacked",
]  # fmt: skip

LAYERS, LOWER = 6, 4  # of MiniLM; those that read a unit by itself
KEPT = 16  # states a unit keeps at most
HEAD_SIZE = 32
_STATES = 2400  # of one text; a longer text keeps fewer of each unit
_REMEMBERED, _SHORT = 600, 64  # units and their tokens: parts of a long text have many in common
_ROWS = 256  # states that go through a layer at once; bounds the memory of long texts
_HEADS = DIMENSION // HEAD_SIZE
# Half of the heads see only their own unit, where the weights do not say how much of others.
_BLIND = np.repeat(np.array([-1e4, 0.0], dtype=np.float32), _HEADS // 2)
_SAME = ("out", "up", "down", "n1", "n2")
_NAMES = {
    "out": "attention.output.dense",
    "n1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "n2": "output.LayerNorm",
}
_ENDS = ("weight", "bias")

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]


class Tuned:
    """The network with its weights, named ``layers.N.PART.weight`` and ``.bias``.

    Of a layer, ``qkv`` is query, key and value in one; ``out``, ``up`` and ``down`` are the other
    linear parts, ``n1`` and ``n2`` the normalisations after attention and at the end.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._known: dict[str, Floats] = {}  # the states of units read lately

    def read(self, units: Sequence[str]) -> Floats:
        """Each unit of one text as 768 numbers, seen beside the others."""
        kept = min(KEPT, max(2, _STATES // max(1, len(units))))
        return self.join(self.states(units, kept))

    def states(self, units: Sequence[str], kept: int = KEPT) -> list[Floats]:
        """For each unit its states [at most ``kept``, 384]; equal units are read once.

        A unit longer than MiniLM's window is read in windows, so every word has its part.
        """
        known = self._known
        wanted = [unit for unit in dict.fromkeys(units) if unit not in known]
        tokenizer, session = self._lower
        texts = [unit.encode("utf-8", "replace").decode() for unit in wanted]  # no lone surrogates
        encoded = [encoding.ids for encoding in tokenizer.encode_batch(texts)]

        def read(ids: list[int]) -> Floats:
            parts = []
            for part in _windows(ids):
                given = {"ids": np.array([part], dtype=np.int64), "positions": np.arange(len(part))}
                parts.append(session.run(None, given)[0][0])
            return np.concatenate(parts)

        with ThreadPoolExecutor(_cores()) as pool:
            found = list(track(pool.map(read, encoded), "reading units", total=len(encoded)))
        fresh = dict(zip(wanted, found, strict=True))
        both = {**known, **fresh}
        short = {unit: states for unit, states in both.items() if len(states) <= _SHORT}
        self._known = short if len(short) <= _REMEMBERED else {}
        return [shorten(both[unit], kept) for unit in units]

    def join(self, states: Sequence[Floats]) -> Floats:
        """The units of one text from their states, through the layers that see all of them."""
        unit = np.repeat(np.arange(len(states)), [len(part) for part in states])
        x = np.concatenate(states)
        # Threads over rows, none inside a product: it is too small, and waiting threads are slow.
        with _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(_cores()) as pool:
            for layer in range(LOWER, LAYERS):
                x = self._through(f"layers.{layer}.", x, unit, pool)
        return _pooled(x, unit)

    def join_each(self, texts: Sequence[Sequence[Floats]]) -> list[Floats]:
        """The same for many short texts: as many at once as make up a part, parts in parallel."""
        parts: list[list[Sequence[Floats]]] = []
        room = 0
        for text in texts:
            size = sum(map(len, text))
            if not parts or size > room:
                parts.append([])
                room = _ROWS
            parts[-1].append(text)
            room -= size
        with _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(_cores()) as pool:
            found = track(pool.map(self._join_part, parts), "comparing", total=len(parts))
            return [units for part in found for units in part]

    def _join_part(self, texts: Sequence[Sequence[Floats]]) -> list[Floats]:
        units = [np.repeat(np.arange(len(text)), [len(part) for part in text]) for text in texts]
        ends = np.cumsum([len(unit) for unit in units]).tolist()
        rows = [slice(end - len(unit), end) for end, unit in zip(ends, units, strict=True)]
        x = np.concatenate([part for text in texts for part in text])
        for layer in range(LOWER, LAYERS):
            name = f"layers.{layer}."
            joined = self._linear(f"{name}qkv", x)
            seen = [
                _Attention(joined[some], unit, self._see(name)).of(slice(None))
                for some, unit in zip(rows, units, strict=True)
            ]
            x = self._rest(name, x, np.concatenate(seen))
        return [_pooled(x[some], unit) for some, unit in zip(rows, units, strict=True)]

    def _through(self, name: str, x: Floats, unit: NDArray[np.int64], pool: Any) -> Floats:
        """One layer that sees all units; rows go through it in parts that stay in the cache."""
        parts = [slice(at, at + _ROWS) for at in range(0, len(x), _ROWS)]
        joined = np.concatenate(
            list(pool.map(lambda rows: self._linear(f"{name}qkv", x[rows]), parts))
        )
        attention = _Attention(joined, unit, self._see(name))
        through = pool.map(lambda rows: self._rest(name, x[rows], attention.of(rows)), parts)
        return np.concatenate(list(through))

    def _see(self, name: str) -> Floats:
        return self.weights.get(f"{name}see", _BLIND)

    def _rest(self, name: str, x: Floats, seen: Floats) -> Floats:
        """A layer after its attention."""
        y = self._norm(f"{name}n1", x + self._linear(f"{name}out", seen))
        narrow = self._linear(f"{name}down", _gelu(self._linear(f"{name}up", y)))
        return self._norm(f"{name}n2", y + narrow)

    @cached_property
    def _lower(self) -> tuple[Any, Any]:
        import onnxruntime
        from tokenizers import Tokenizer

        folder = resources.locate("minilm")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the cores are used by the units, not inside one
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        graph = build_graph(folder, "int8", layers=LOWER, changed=_upstream(self.weights))
        providers = ["CPUExecutionProvider"]
        return tokenizer, onnxruntime.InferenceSession(graph, options, providers=providers)

    def _linear(self, name: str, x: Floats) -> Floats:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(EPSILON))
        return np.asarray(
            centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        )


def packed(weights: Weights) -> dict[str, NDArray[Any]]:
    """Weights as they are stored: the layers' matrices in 8 bits, as they are computed with."""
    found: dict[str, NDArray[Any]] = {}
    for name, value in weights.items():
        if name.startswith("layers.") and value.ndim == 2:
            scale = (np.abs(value).max(axis=1) / LEVELS).astype(np.float32)
            whole = np.round(value / np.maximum(scale, 1e-12)[:, None])
            found[name] = np.clip(whole, -LEVELS, LEVELS).astype(np.int8)
            found[f"{name}.scale"] = scale
        else:
            found[name] = value.astype(np.float16)
    return found


def unpacked(stored: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
    """What ``packed`` stored, as numbers."""
    return {
        name: value.astype(np.float32)
        * (stored[f"{name}.scale"][:, None] if value.dtype == np.int8 else 1)
        for name, value in stored.items()
        if not name.endswith(".scale")
    }


def layers_of(folder: Any) -> dict[str, Floats]:
    """MiniLM's own layers by the names that ``Tuned`` takes."""
    from safetensors.numpy import load_file

    given = load_file(folder / "model.safetensors")
    found: dict[str, Floats] = {}
    for layer in range(LAYERS):
        upstream, ours = f"encoder.layer.{layer}.", f"layers.{layer}."
        for end in _ENDS:
            for part in _SAME:
                found[f"{ours}{part}.{end}"] = given[f"{upstream}{_NAMES[part]}.{end}"]
            joined = [
                given[f"{upstream}attention.self.{part}.{end}"]
                for part in ("query", "key", "value")
            ]
            found[f"{ours}qkv.{end}"] = np.concatenate(joined)
    return found


def _upstream(weights: Weights) -> dict[str, Floats]:
    """The lower layers by MiniLM's own names; those that are not there are MiniLM's own."""
    found: dict[str, Floats] = {}
    for layer in range(LOWER):
        if f"layers.{layer}.out.weight" not in weights:
            continue
        upstream, ours = f"encoder.layer.{layer}.", f"layers.{layer}."
        for end in _ENDS:
            for part in _SAME:
                found[f"{upstream}{_NAMES[part]}.{end}"] = weights[f"{ours}{part}.{end}"]
            three = np.split(weights[f"{ours}qkv.{end}"], 3)
            for part, value in zip(("query", "key", "value"), three, strict=True):
                found[f"{upstream}attention.self.{part}.{end}"] = value
    return found


def shorten(states: Floats, kept: int) -> Floats:
    """At most ``kept`` states: the first and last stay as they are, the middle is averaged.

    How a unit opens and closes tells most about its place; the rest must still be heard.
    """
    places = slots(len(states), kept)
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    sums = np.add.reduceat(states, starts, axis=0)
    return np.asarray(sums / np.bincount(places)[:, None], dtype=np.float32)


def slots(tokens: int, kept: int) -> NDArray[np.int64]:
    """For each token of a unit the number of the state that it goes into.

    >>> slots(12, 8).tolist()
    [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 7]
    """
    head, tail = kept // 2, max(1, kept // 8)
    if tokens <= kept:
        return np.arange(tokens)
    middle = tokens - head - tail
    edges = np.linspace(0, middle, kept - head - tail + 1).astype(int)
    inner = np.searchsorted(edges, np.arange(middle), side="right") - 1
    return np.concatenate([np.arange(head), head + inner, np.arange(kept - tail, kept)])


def _windows(ids: list[int]) -> list[list[int]]:
    if len(ids) <= WINDOW:
        return [ids]
    first, *inner, last = ids
    step = WINDOW - 2
    return [[first, *inner[at : at + step], last] for at in range(0, len(inner), step)]


def _pooled(x: Floats, unit: NDArray[np.int64]) -> Floats:
    """Each unit as the mean of its states beside the first of them."""
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    mean = np.add.reduceat(x, starts, axis=0) / np.bincount(unit)[:, None]
    return np.concatenate([mean, x[starts]], axis=1).astype(np.float32)


class _Attention:
    """What each state sees of all, from queries, keys and values side by side.

    Each head sees all units, other units by ``see`` more or less.
    """

    def __init__(self, joined: Floats, unit: NDArray[np.int64], see: Floats) -> None:
        parts = joined.reshape(len(joined), 3, _HEADS, HEAD_SIZE).transpose(1, 2, 0, 3)
        self.q, self.k, self.v = np.ascontiguousarray(parts)
        self.q *= np.float32(HEAD_SIZE**-0.5)
        self.unit = unit
        self.see = see.tolist()

    def of(self, rows: slice) -> Floats:
        seen = [np.zeros(0, dtype=np.float32)] * _HEADS
        apart = (self.unit[rows, None] != self.unit[None, :]).astype(np.float32)
        for head, less in enumerate(self.see):
            scores = self.q[head, rows] @ self.k[head].T
            if less:
                scores += np.float32(less) * apart
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            seen[head] = scores @ self.v[head] / scores.sum(axis=1, keepdims=True)
        return np.concatenate(seen, axis=1)


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _gelu(x: Floats) -> Floats:
    return np.asarray(x * (0.5 * (1.0 + erf(x * np.float32(np.sqrt(0.5))))))
