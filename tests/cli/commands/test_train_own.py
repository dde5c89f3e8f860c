"""A registered model of another's is trained by the command line, whether or not it has a seed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.core import model_store
from fabula.endings import TASK, Ending
from fabula.registry import Registry


class Place:
    """Learns the place that is most often right."""

    def fit(self, items: Sequence[Ending], dev: Sequence[Ending] = ()) -> Place:
        golds = [item.gold or 0 for item in items]
        self.place_ = max(set(golds), key=golds.count)
        return self

    def save(self, folder: Path) -> None:
        model_store.write(folder, {"model": "endings/place"}, {"place": np.array([self.place_])})


class Seeded(Place):
    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def save(self, folder: Path) -> None:
        model_store.write(folder, {"model": "endings/place", "seed": self.seed}, {})


@pytest.mark.parametrize("model", [Place, Seeded])
def test_a_model_without_a_seed_is_trained(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fabula.registry.models", Registry("model", {}))
    from fabula.registry import models

    models.register("endings/place", model)
    items = tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps(item.to_row()) + "\n" for item in TASK.examples()))
    line = ["train", "endings/place", str(items), "-o", str(tmp_path / "trained"), "--seed", "7"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    config = json.loads((tmp_path / "trained" / "config.json").read_text())
    assert config.get("seed", 7) == 7
