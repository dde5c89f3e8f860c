"""fabula errors."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from fabula.bench.evaluate import evaluate
from fabula.cli import app
from fabula.ordering import TASK


def test_the_run_that_is_analysed_is_named(tmp_path: Path) -> None:
    first = evaluate("ordering", TASK.examples(), "linear", folder=tmp_path, seed=1)
    evaluate("ordering", TASK.examples(), "random", folder=tmp_path, seed=1)
    line = ["errors", str(tmp_path), "--metric", "tau", "--below", "1.1"]
    shown = CliRunner().invoke(app, line)
    assert shown.exit_code == 0, shown.output
    assert f"linear, tau below 1.1, in {first.folder}".replace(" ", "") in "".join(
        shown.stdout.split()
    )
    data = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    assert (data["run"], data["others"], data["metric"]) == ("linear", ["random"], "tau")
    none = CliRunner().invoke(app, [*line[:-1], "-2"])
    assert none.stdout.strip().endswith(": no item")
