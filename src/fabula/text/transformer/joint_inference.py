"""A transformer trained further for a task: the units of a text, read so that they see each other.

The lower layers (of MiniLM four, of MPNet six) read each unit by itself, as they always did; its
states are shortened, so that a paragraph weighs no more than a long sentence; the others see the
states of all units, half of their heads only those of the own unit. A unit then is the mean of its
states beside the first of them. Nothing tells where a unit stands, so the answer cannot depend on
the order given.

The lower layers run in ONNX Runtime as those of the encoder do, the upper ones in numpy: reading
needs no torch. ``tuning`` holds the same network for training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from fabula.core.progress import track
from fabula.core.threads import core_count, one_blas_thread
from fabula.text.transformer.onnx import LEVELS, Session
from fabula.text.transformer.spec import MINILM, Body, gaps, layers_only, windows

__all__ = ["AWAY", "KEPT", "Tuned", "packed", "shorten", "sight", "slots", "unpacked"]

KEPT = 16  # states a unit keeps at most
AWAY = -1e4  # added to attention's scores: not to be seen
_STATES = 2400  # of one text; a longer text keeps fewer of each unit
_REMEMBERED, _SHORT = 600, 64  # units and their tokens: parts of a long text have many in common
_ROWS = 256  # states that go through a layer at once; bounds the memory of long texts
_FURTHEST = 1000  # states: beyond that all gaps are one
Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]


class Tuned:
    """The network with its weights, named as in ``bodies``; lower layers may be left out.

    ``layers.N.see`` is how much more or less each head sees of other units, where that was learnt.
    """

    def __init__(self, weights: Weights, body: Body = MINILM) -> None:
        self.weights = weights
        self.body = body
        self._known: dict[str, Floats] = {}  # the states of units read lately

    def read(self, units: Sequence[str]) -> Floats:
        """Each unit of one text, seen beside the others: twice as many numbers as a state has."""
        kept = min(KEPT, max(2, _STATES // max(1, len(units))))
        return self.join(self.states(units, kept))

    def states(self, units: Sequence[str], kept: int = KEPT, *, shown: bool = True) -> list[Floats]:
        """For each unit its states [at most ``kept``, size]; equal units are read once.

        A unit longer than the window is read in windows, so every word has its part.
        """
        known = self._known
        wanted = [unit for unit in dict.fromkeys(units) if unit not in known]
        tokenizer, session = self._lower
        texts = [unit.encode("utf-8", "replace").decode() for unit in wanted]  # no lone surrogates
        encoded = [encoding.ids for encoding in tokenizer.encode_batch(texts)]

        def read(ids: list[int]) -> Floats:
            return np.concatenate([session.run(part) for part in windows(ids)])

        with ThreadPoolExecutor(core_count()) as pool:
            each = pool.map(read, encoded)
            found = list(track(each, "reading units", total=len(encoded)) if shown else each)
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
        with one_blas_thread(), ThreadPoolExecutor(core_count()) as pool:
            for layer in range(self.body.lower, self.body.layers):
                x = self._through(f"layers.{layer}.", x, unit, pool)
        return _pooled(x, unit)

    def join_each(self, texts: Sequence[Sequence[Floats]]) -> list[Floats]:
        """``join`` of many short texts, batched by size; batches run in parallel.

        The first joint layer's queries, keys and values depend on a unit's own states alone, so
        they are computed once for a unit that several texts share (by identity).
        """
        batches: list[list[Sequence[Floats]]] = []
        room = 0
        for text in texts:
            size = sum(map(len, text))
            if not batches or size > room:
                batches.append([])
                room = _ROWS
            batches[-1].append(text)
            room -= size
        units = {id(states): states for text in texts for states in text}
        with one_blas_thread(), ThreadPoolExecutor(core_count()) as pool:
            first = partial(self._linear, f"layers.{self.body.lower}.qkv")
            qkv = dict(zip(units, pool.map(first, units.values()), strict=True))
            joined = pool.map(lambda batch: self._join_batch(batch, qkv), batches)
            shown = track(joined, "comparing", total=len(batches))
            return [text for batch in shown for text in batch]

    def _join_batch(
        self, texts: Sequence[Sequence[Floats]], qkv: Mapping[int, Floats]
    ) -> list[Floats]:
        units = [np.repeat(np.arange(len(text)), [len(part) for part in text]) for text in texts]
        ends = np.cumsum([len(unit) for unit in units]).tolist()
        rows = [slice(end - len(unit), end) for end, unit in zip(ends, units, strict=True)]
        x = np.concatenate([part for text in texts for part in text])
        joined = np.concatenate([qkv[id(part)] for text in texts for part in text])
        for layer in range(self.body.lower, self.body.layers):
            name = f"layers.{layer}."
            if layer > self.body.lower:
                joined = self._linear(f"{name}qkv", x)
            seen = [
                self._attention(name, joined[some], unit).of(slice(None))
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
        attention = self._attention(name, joined, unit)
        through = pool.map(lambda rows: self._rest(name, x[rows], attention.of(rows)), parts)
        return np.concatenate(list(through))

    def _attention(self, name: str, joined: Floats, unit: NDArray[np.int64]) -> _Attention:
        see, near = self._sight
        return _Attention(joined, unit, self.weights.get(f"{name}see", see), near)

    @cached_property
    def _sight(self) -> tuple[Floats, Floats | None]:
        return sight(self.body)

    def _rest(self, name: str, x: Floats, seen: Floats) -> Floats:
        """A layer after its attention."""
        y = self._norm(f"{name}n1", x + self._linear(f"{name}out", seen))
        narrow = self._linear(f"{name}down", _gelu(self._linear(f"{name}up", y)))
        return self._norm(f"{name}n2", y + narrow)

    @cached_property
    def _lower(self) -> tuple[Any, Session]:
        lower = self.body.lower
        session = Session(self.body, "int8", layers=lower, changed=layers_only(self.weights))
        return self.body.tokenizer(), session

    def _linear(self, name: str, x: Floats) -> Floats:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(self.body.epsilon))
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


def sight(body: Body) -> tuple[Floats, Floats | None]:
    """What a layer that sees all units starts from: ``see``, and ``near`` if the body has it.

    Half of the heads do not see other units; to the rest they are as far away as can be.
    """
    near = body.embeddings()["near"] if body.relative else None
    see = np.zeros(body.heads, dtype=np.float32)
    if near is not None:
        see = near[gaps(np.array([0]), np.array([-_FURTHEST, _FURTHEST]))[0]].mean(axis=0)
    see[: body.heads // 2] = AWAY
    return see, near


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


def _pooled(x: Floats, unit: NDArray[np.int64]) -> Floats:
    """Each unit as the mean of its states beside the first of them."""
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    mean = np.add.reduceat(x, starts, axis=0) / np.bincount(unit)[:, None]
    return np.concatenate([mean, x[starts]], axis=1).astype(np.float32)


class _Attention:
    """What each state sees of all, from queries, keys and values side by side.

    Each head sees all units, other units by ``see`` more or less, and states of the own unit by
    ``near``, according to how many states lie between.
    """

    def __init__(
        self, joined: Floats, unit: NDArray[np.int64], see: Floats, near: Floats | None
    ) -> None:
        heads = len(see)
        size = joined.shape[1] // (3 * heads)
        parts = joined.reshape(len(joined), 3, heads, size).transpose(1, 2, 0, 3)
        self.q, self.k, self.v = np.ascontiguousarray(parts)
        self.q *= np.float32(size**-0.5)
        self.unit = unit
        self.see = see.tolist()
        self.near = near
        counts = np.bincount(unit)
        self.place = np.arange(len(unit)) - np.repeat(np.cumsum(counts) - counts, counts)

    def of(self, rows: slice) -> Floats:
        seen = [np.zeros(0, dtype=np.float32)] * len(self.see)
        other = self.unit[rows, None] != self.unit[None, :]
        apart = other.astype(np.float32)
        gap = None if self.near is None else gaps(self.place[rows], self.place)
        for head, less in enumerate(self.see):
            scores = self.q[head, rows] @ self.k[head].T
            if less:
                scores += np.float32(less) * apart
            if gap is not None and self.near is not None:
                scores += np.where(other, np.float32(0), self.near[:, head][gap])
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            seen[head] = scores @ self.v[head] / scores.sum(axis=1, keepdims=True)
        return np.concatenate(seen, axis=1)


def _gelu(x: Floats) -> Floats:
    return np.asarray(x * (0.5 * (1.0 + erf(x * np.float32(np.sqrt(0.5))))))
