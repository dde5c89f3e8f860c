"""Robustness (ordering paper, Figure 2): metrics by share of noisy units in the texts."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from fabula.bench.experiments.cells import Cells, Data, Spec
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.ordering.items import Text
from fabula.ordering.noise import KINDS, add_noise

__all__ = ["LEVELS", "robustness"]

LEVELS = (0.0, 0.2, 0.5, 0.8, 1.0)


def robustness(
    data: Data,
    specs: Sequence[Spec],
    folder: str | PathLike[str],
    *,
    levels: Sequence[float] = LEVELS,
    kinds: Sequence[str] = KINDS,
    clean_training: bool = False,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """A cell for each model and noise level, 0 being the data as it is.

    As in the paper, training and testing texts are noisy alike; with ``clean_training`` models
    learn from clean texts and only meet noise when tested.
    """
    specs = [spec.at(data.level) for spec in specs]
    tests = {level: add_noise(data.test, level, kinds=kinds, seed=seed) for level in levels}
    for level, (test, _) in tests.items():
        if not test:
            raise UsageError(f"at {level:.0%} no test text is left; leave this level out")
    cells = Cells(folder)
    rows = []
    texts = data.key
    for level in track(levels, "noise levels"):
        test, lost = tests[level]
        training_level = 0.0 if clean_training else level
        for spec in specs:
            key = {
                "data": data.name,
                "learnt": training_level,
                "kinds": "-".join(kinds),
                "test": level,
            }
            key["texts"] = texts

            def training(
                training_level: float = training_level,
            ) -> tuple[Sequence[Text], Sequence[Text]]:
                train, _ = add_noise(data.train, training_level, kinds=kinds, seed=seed + 1)
                return train, add_noise(data.dev, training_level, kinds=kinds, seed=seed + 2)[0]

            cell = cells.measure(key, spec, training, test, seed=seed)
            rows.append({**cell, "level": level, "lost": lost})
    return rows
