from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.endings.models.endingreg.test_model import biased
from typer.testing import CliRunner

from fabula.cli import app
from fabula.endings.models.endingreg.ablation import ablation
from fabula.errors import UsageError

ROWS = {"mood": (("sentiment",), 0.5), "letters": (("chars", "chars-across"), None)}


def test_each_row_comes_under_both_decisions() -> None:
    rows = ablation(biased(40), rows=ROWS, grid=(0.1, 1.0))
    assert [(row.features, row.decision) for row in rows] == [
        ("mood", "pair"), ("mood", "independent"), ("letters", "pair"), ("letters", "independent"),
    ]  # fmt: skip
    assert rows[2].accuracy == 1.0 and rows[2].interval.high == 1.0 and rows[2].items == 40
    assert all(row.interval.low <= row.accuracy <= row.interval.high for row in rows)
    assert rows[0].paper == 0.5 and rows[2].paper is None


def test_noise_is_worth_nothing() -> None:
    from dataclasses import replace

    shuffled = [replace(item, gold=i % 2) for i, item in enumerate(biased(60))]
    rows = ablation(shuffled, biased(60, seed=9), rows={"letters": ROWS["letters"]}, grid=(0.1,))
    assert 0.15 < rows[0].accuracy < 0.85 and rows[0].items == 60


def test_the_command_prints_the_papers_numbers_beside_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fabula.endings.models.endingreg.ablation.ablation.__kwdefaults__", {
        "rows": ROWS, "folds": 5, "inner": 2, "grid": (1.0,), "seed": 0,
    })  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(item.to_row()) + "\n" for item in biased(20)))
    shown = CliRunner().invoke(app, ["experiment", "ablation", str(path), "--json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["rows"][0]["paper"] == 0.5


def test_too_few_items_say_so() -> None:
    with pytest.raises(UsageError, match="4 items are too few for 5 folds"):
        ablation(biased(4))
