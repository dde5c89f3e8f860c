"""Cross-domain matrix (ordering paper, Table 3): train on one corpus, test on each of its level."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from fabula.bench.experiments.cells import Cells, Data, Spec
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.ordering.items import Text

__all__ = ["cross_domain"]


def cross_domain(
    data: Sequence[Data], specs: Sequence[Spec], folder: str | PathLike[str], *, seed: int = 0
) -> list[dict[str, Any]]:
    """A cell for each model, corpus trained on, and corpus tested on.

    Sentences and paragraphs make tables of their own. ``beats_own`` marks the paper's triangle: a
    model from elsewhere that does better than any trained on the corpus itself (by tau).
    """
    if len({(dataset.level, dataset.name) for dataset in data}) < len(data):
        raise UsageError("two data sets of one level have the same name; rename a file")
    cells = Cells(folder)
    plan = [
        (source, target, spec)
        for source in data
        for target in data
        if source.level == target.level
        for spec in (spec.at(source.level) for spec in specs)
    ]
    texts = {id(dataset): dataset.key for dataset in data}
    rows = []
    for source, target, spec in track(plan, "training and measuring"):
        key = {"train": source.name, "test": target.name, "level": source.level}
        key["texts"] = texts[id(source)]

        def training(source: Data = source) -> tuple[Sequence[Text], Sequence[Text]]:
            return source.train, source.dev

        rows.append(cells.measure(key, spec, training, target.test, seed=seed))
    best: dict[tuple[str, str], float] = {}
    for row in rows:
        if row["train"] == row["test"]:
            target_key = (row["level"], row["test"])
            best[target_key] = max(best.get(target_key, -2.0), row["metrics"]["tau"]["value"])
    for row in rows:
        own = best[row["level"], row["test"]]
        row["beats_own"] = row["train"] != row["test"] and row["metrics"]["tau"]["value"] > own
    return rows
