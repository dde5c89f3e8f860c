"""Learning curve (ordering paper, Figure 1): metrics by number of sampled training texts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from fabula.bench.experiments.cells import SHOWN, Cells, Data, Spec
from fabula.core.files import canonical
from fabula.core.progress import track
from fabula.core.training import keep_back
from fabula.errors import UsageError
from fabula.ordering.items import Text

__all__ = ["DRAWS", "SIZES", "learnability", "summary"]

SIZES = (1000, 3000, 5000, 8000, 10_000)
DRAWS = (20, 10, 5, 5, 5)


def learnability(
    data: Data,
    specs: Sequence[Spec],
    folder: str | PathLike[str],
    *,
    sizes: Sequence[int] = SIZES,
    draws: Sequence[int] = DRAWS,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """A cell for each model, size and draw; training and development texts keep their ratio.

    A draw samples texts with replacement; the test texts are the same for all.
    """
    if len(sizes) != len(draws):
        raise UsageError(f"{len(sizes)} sizes but {len(draws)} numbers of draws")
    if any(size < 2 for size in sizes) or any(number < 1 for number in draws):
        raise UsageError("a size is 2 texts or more, and each is drawn once or more")
    cells = Cells(folder)
    plan = [
        (size, draw, spec)
        for size, number in zip(sizes, draws, strict=True)
        for draw in range(number)
        for spec in (spec.at(data.level) for spec in specs)
    ]
    texts = data.key
    # Split before sampling: a text drawn twice must not be in both train and dev.
    train, dev = (data.train, data.dev) if data.dev else keep_back(data.train, seed)
    rows = []
    for size, draw, spec in track(plan, "training and measuring"):
        key = {"data": data.name, "size": size, "draw": draw, "texts": texts}

        def training(size: int = size, draw: int = draw) -> tuple[list[Text], list[Text]]:
            rng = random.Random(f"{seed} {size} {draw}")
            sample = rng.choices(train, k=size)
            return sample, rng.choices(dev, k=max(1, round(size * len(dev) / len(train))))

        rows.append(cells.measure(key, spec, training, data.test, seed=seed))
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each model with its parameters, and size: the mean over draws and the range they span."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(canonical([row["model"], row["settings"], row["size"]]), []).append(row)
    summaries = []
    for cells in groups.values():
        metrics = {}
        for name in SHOWN:
            values = [row["metrics"][name]["value"] for row in cells]
            low, high = min(values), max(values)
            if len(values) == 1:  # a single draw: the interval of its own
                low, high = (cells[0]["metrics"][name][end] for end in ("low", "high"))
            metrics[name] = {"value": float(np.mean(values)), "low": low, "high": high}
        identity = {name: cells[0][name] for name in ("model", "settings", "size")}
        summaries.append({**identity, "draws": len(cells), "metrics": metrics})
    return summaries
