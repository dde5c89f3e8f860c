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
    [
        ("alpa=1", "unknown parameter 'alpa': did you mean 'alpha'?"),
        ("alpha", "takes NAME=VALUE"),
        ("epochs=abc", "epochs='abc': it has to be a whole number, such as 3"),
        ("epochs=0", "epochs=0: it has to be 1 or more"),
        ("alpha=-1", "alpha=-1: it has to be 0 or more"),
        ("pairs=2.5", "pairs=2.5: it has to be a whole number"),
    ],
)
def test_a_wrong_setting_is_refused(
    items: Path, tmp_path: Path, setting: str, message: str
) -> None:
    line = ["train", "ordering/linear", str(items), "-o", str(tmp_path / "m"), "--set", setting]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "m").exists()


def test_a_file_without_items_is_named(items: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    done = CliRunner().invoke(
        app, ["train", "ordering/linear", str(empty), "-o", str(tmp_path / "m")]
    )
    assert done.exit_code == 2 and "empty.jsonl: holds no items" in done.stderr


def test_heads_that_do_not_divide_the_width(items: Path, tmp_path: Path) -> None:
    line = [
        "train",
        "ordering/attorder",
        str(items),
        "-o",
        str(tmp_path / "m"),
        "--set",
        "hidden=15",
    ]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 2 and "a multiple of 8 heads" in done.stderr


def test_the_development_curve_is_printed(items: Path, tmp_path: Path) -> None:
    line = ["train", "ordering/lstm-ptr", str(items), "--dev", str(items), "--set", "epochs=3"]
    line += ["--set", "width=8", "--set", "hidden=4", "-o", str(tmp_path / "m")]
    shown = CliRunner().invoke(app, line)
    assert shown.exit_code == 0, shown.output
    epochs = [row for row in shown.stdout.splitlines() if row.startswith("epoch ")]
    assert epochs and all(", development " in row for row in epochs)
    data = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    assert len(data["epochs"][0]) == len(epochs)


def test_a_model_without_epochs_gives_its_development_score(items: Path, tmp_path: Path) -> None:
    line = ["train", "ordering/linear", str(items), "--dev", str(items), "-o", str(tmp_path / "m")]
    shown = CliRunner().invoke(app, line)
    assert "development: PMR " in shown.stdout, shown.output
