"""Flip single bytes in what fabula stores: each must be noticed, or change nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fabula
from fabula.bench.runs.store import load_run
from fabula.core.build_once import built
from fabula.core.cell_store import CellStore
from fabula.core.model_store import SavedModel, State, reading
from fabula.errors import FabulaError
from fabula.events.counts.store import open_counts
from fabula.events.counts.store_build import count_to_store
from fabula.events.items import Chain, Event
from fabula.salads import Salad
from fabula.scale.shards import Shards
from fabula.text.encoders.cache import VectorCache

Read = Callable[[], Any]
LOST = "lost"  # a cache that has nothing to say: what it held is computed again
WORDS = ("one", "two")


class Model(SavedModel):
    """A small model with arrays and a vocabulary."""

    registered, fitted, has_words = "toy/toy", "matrix_", True

    def state(self) -> State:
        return State({"bias": 0.5}, {"matrix": np.arange(40.0)}, WORDS)

    def restore(self, state: State) -> None:
        self.matrix_ = state.arrays["matrix"]


def shards(folder: Path) -> Read:
    stored = Shards(str(folder))
    stored.write(0, [{"id": f"r{n}", "text": "It rained. " * 5} for n in range(9)], given=9)
    stored.close(shards=1)
    return lambda: (list(stored.rows()), stored.marker(0), stored.closed())


def model(folder: Path) -> Read:
    trained = Model()
    trained.matrix_ = np.arange(40.0)
    trained.save(folder)

    def read() -> Any:
        with reading(folder) as (config, arrays):
            words = (folder / "vocabulary.json").read_text()
            return config, {name: array.tobytes() for name, array in arrays.items()}, words

    return read


def run(folder: Path) -> Read:
    items = [Salad(f"s{n}", ("a", "b", "c"), (0, 1, 1), stories=2) for n in range(5)]
    path = fabula.evaluate("salads", items, "unif", folder=folder).folder
    assert path is not None

    def read() -> Any:
        loaded = load_run(path)
        return loaded.metrics, loaded.items.answers, loaded.seed, loaded.model, loaded.data

    return read


def cells(folder: Path) -> Read:
    store = CellStore(folder)
    store.write("tau", {"seed": 0}, {"value": 0.25, "n": 3})
    return lambda: store.read("tau", {"seed": 0}) or LOST


def vectors(folder: Path) -> Read:
    cache = VectorCache(model="toy", dimension=8, folder=folder)
    cache.put({f"t{n}": np.full(8, n, dtype=np.float32) for n in range(40)})

    def read() -> Any:
        found = cache.get([f"t{n}" for n in range(40)])
        right = all((found[text] == int(text[1:])).all() for text in found)
        return (right and LOST) if len(found) < 40 or not right else "whole"

    return read


def conversion(folder: Path) -> Read:
    def make(new: Path) -> None:
        (new / "words").write_bytes(b"one two three" * 20)

    built(folder / "lm", make)
    return lambda: (built(folder / "lm", make) / "words").read_bytes()


def counts(folder: Path) -> Read:
    chain = Chain("d", "e", (Event("buy", "subject"), Event("pay", "subject")))
    count_to_store(folder, [chain, chain])
    return lambda: (open_counts(folder).event_types, open_counts(folder).tokens)


STORES: dict[str, Callable[[Path], Read]] = {
    "shards": shards,
    "model": model,
    "run": run,
    "cells": cells,
    "vectors": vectors,
    "conversion": conversion,
    "counts": counts,
}


def silent_flips(name: str, folder: Path, times: int, seed: int = 0) -> list[str]:
    """The flips that changed what is read without an error, as ``file:offset``."""
    folder.mkdir(parents=True)
    read = STORES[name](folder)
    expected = read()
    generator, silent = random.Random(seed), []
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    saved = {path: path.read_bytes() for path in files}
    for _ in range(times):
        path = generator.choice(files)
        at = generator.randrange(len(saved[path]))
        data = bytearray(saved[path])
        data[at] ^= 1 << generator.randrange(8)
        path.write_bytes(bytes(data))
        try:
            found = read()
        except FabulaError:
            found = expected
        if found not in (expected, LOST):
            silent.append(f"{path.name}:{at}")
        for file, content in saved.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return silent
