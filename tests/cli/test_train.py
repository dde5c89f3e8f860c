"""fabula train."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.ordering import TASK


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(t.to_row()) + "\n" for t in TASK.examples()), "utf-8")
    return path


def test_parameters_reach_the_model(items: Path, tmp_path: Path) -> None:
    line = ["train", "ordering/linear", str(items), "-o", str(tmp_path / "m"), "--seed", "3"]
    done = CliRunner().invoke(app, [*line, "--set", "alpha=1e-2", "--set", "epochs=2", "--json"])
    assert done.exit_code == 0, done.output
    config = json.loads((tmp_path / "m" / "config.json").read_text("utf-8"))
    assert config["parameters"] == {"alpha": 0.01, "epochs": 2, "pairs": 20, "seed": 3}


@pytest.mark.parametrize(
    ("setting", "message"),
    [("alpa=1", "unknown parameter 'alpa': did you mean 'alpha'?"), ("alpha", "takes NAME=VALUE")],
)
def test_a_wrong_setting_is_refused(
    items: Path, tmp_path: Path, setting: str, message: str
) -> None:
    line = ["train", "ordering/linear", str(items), "-o", str(tmp_path / "m"), "--set", setting]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "m").exists()
