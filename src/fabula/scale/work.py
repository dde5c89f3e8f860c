"""One shard through one step: what a worker does, wherever it runs."""

from __future__ import annotations

import importlib
import json
import os
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fabula.scale.shards import Shards

__all__ = ["Step", "find_step", "work"]

# A step turns a batch of rows into rows, and knows nothing of shards, workers or engines.
Step = Callable[[list[Any]], Iterator[dict[str, Any]]]


def find_step(target: str, options: Mapping[str, Any]) -> Step:
    """The step behind ``module:factory``, made with its options."""
    module, _, name = target.partition(":")
    step: Step = getattr(importlib.import_module(module), name)(**options)
    return step


def work(step: Step, source: Shards, target: Shards, number: int) -> dict[str, Any]:
    """Run a step on one shard and write its result, unless that was done already.

    When the batch fails, its rows go one at a time, and a row that fails alone is set aside with
    its error: one poisoned document neither stops a run nor takes others with it.
    """
    known = target.marker(number)
    if known is not None:
        return {**known, "shard": number, "seconds": 0.0, "kept": True}
    rows = list(source.read(number))
    started = time.perf_counter()
    poisoned: list[dict[str, Any]] = []
    try:
        found = list(step(rows))
    except Exception:
        found = []
        for row in rows:
            try:
                found += list(step([row]))
            except Exception as error:
                name = str(row.get("id", "?")) if isinstance(row, dict) else "?"
                poisoned.append({"id": name, "error": f"{type(error).__name__}: {error}"})
    # The JSON of a row is its order: whichever worker made it, the shard has the same bytes.
    found.sort(key=lambda row: json.dumps(row, sort_keys=True, ensure_ascii=False))
    marker = target.write(number, found, given=len(rows), poisoned=poisoned)
    return {
        **marker,
        "shard": number,
        "seconds": time.perf_counter() - started,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "worker": os.getpid(),
        "kept": False,
    }
