"""Units as token states: what the lower layers of the packaged MiniLM make of each by itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.progress import track
from fabula.text import resources
from fabula.text.minilm import WINDOW, build_graph

__all__ = ["KEPT", "LAYERS", "shorten", "unit_states", "upper_layers"]

LAYERS = 4  # of MiniLM's six; the joint layers, which see all units, take it from there
KEPT = 16  # states a unit keeps at most

_PARTS = (
    ("out", "attention.output.dense"),
    ("n1", "attention.output.LayerNorm"),
    ("up", "intermediate.dense"),
    ("down", "output.dense"),
    ("n2", "output.LayerNorm"),
)

Floats = NDArray[np.float32]


def unit_states(units: Sequence[str], kept: int = KEPT) -> list[Floats]:
    """For each unit its states [at most ``kept``, 384]; equal units are read once.

    A unit longer than MiniLM's window is read in windows, so every word has its part in a state.
    """
    wanted = list(dict.fromkeys(units))
    if not wanted:
        return []
    tokenizer, session = _load()
    encoded = [encoding.ids for encoding in tokenizer.encode_batch([_clean(u) for u in wanted])]

    def read(ids: list[int]) -> Floats:
        parts = [
            session.run(
                None, {"ids": np.array([part], dtype=np.int64), "positions": np.arange(len(part))}
            )[0][0]
            for part in _windows(ids)
        ]
        return shorten(shorten(np.concatenate(parts), 64, 24, 16), kept, kept // 2, kept // 8)

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with ThreadPoolExecutor(cores) as pool:
        read_units = list(track(pool.map(read, encoded), "reading units", total=len(encoded)))
    by_text = dict(zip(wanted, read_units, strict=True))
    return [by_text[unit] for unit in units]


def shorten(states: Floats, most: int, head: int, tail: int) -> Floats:
    """At most ``most`` states: the first and last stay as they are, the middle is averaged.

    How a unit opens and closes tells most about its place; the rest must still be heard.
    """
    n = len(states)
    if n <= most:
        return states
    middle = states[head : n - tail]
    edges = np.linspace(0, len(middle), most - head - tail + 1).astype(int)
    means = np.add.reduceat(middle, edges[:-1], axis=0) / np.diff(edges)[:, None]
    return np.concatenate([states[:head], means, states[n - tail :]]).astype(np.float32)


def _clean(unit: str) -> str:
    return unit.encode("utf-8", "replace").decode()  # a lone surrogate is no text to a tokenizer


def _windows(ids: list[int]) -> list[list[int]]:
    if len(ids) <= WINDOW:
        return [ids]
    first, *inner, last = ids
    step = WINDOW - 2
    return [[first, *inner[at : at + step], last] for at in range(0, len(inner), step)]


def upper_layers() -> list[dict[str, Floats]]:
    """The weights of the layers that the states have not been through, to train further.

    ``qkv`` is query, key and value in one; ``out``, ``up`` and ``down`` are the other linear parts,
    ``n1`` and ``n2`` the normalisations after attention and at the end.
    """
    from safetensors.numpy import load_file

    weights = load_file(resources.locate("minilm") / "model.safetensors")
    found: list[dict[str, Floats]] = []
    while (name := f"encoder.layer.{LAYERS + len(found)}.") + "output.dense.bias" in weights:
        layer: dict[str, Floats] = {}
        for end in ("weight", "bias"):
            layer |= {f"{ours}.{end}": weights[f"{name}{part}.{end}"] for ours, part in _PARTS}
            joined = [f"{name}attention.self.{part}.{end}" for part in ("query", "key", "value")]
            layer[f"qkv.{end}"] = np.concatenate([weights[part] for part in joined])
        found.append(layer)
    return found


@cache
def _load() -> tuple[Any, Any]:
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
    session = onnxruntime.InferenceSession(
        build_graph(folder, "int8", layers=LAYERS), options, providers=["CPUExecutionProvider"]
    )
    return tokenizer, session
