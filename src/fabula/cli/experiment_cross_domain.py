"""fabula experiment cross-domain"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.experimenting import FolderOption, ModelsOption, SettingsOption

DataArguments = Annotated[
    list[Path],
    typer.Argument(help="Each x.jsonl for x.train.jsonl, x.dev.jsonl and x.test.jsonl."),
]


@command
def cross_domain(
    data: DataArguments,
    model: ModelsOption,
    output: FolderOption,
    set_: SettingsOption = None,
    seed: int = 0,
) -> Reply:
    """Train on each corpus and test on every one of its level (Tables 2 and 3)."""
    from rich.console import Group

    from fabula.bench.experiments.cells import SHOWN, read_data
    from fabula.bench.experiments.cross_domain import cross_domain as run
    from fabula.bench.report.plots import forest
    from fabula.cli.experimenting import parse_specs, show, write_results
    from fabula.cli.outputs import make_table

    specs = parse_specs(model, set_ or [])
    rows = run([read_data(path) for path in data], specs, output, seed=seed)
    tables, figures = [], {}
    for level in dict.fromkeys(row["level"] for row in rows):
        here = [row for row in rows if row["level"] == level]
        cells = [
            (
                row["train"],
                row["test"] + (" △" if row["beats_own"] else ""),
                row["model"],
                *(show(row["metrics"][name]) for name in SHOWN),
                "" if row["parameters"] is None else f"{row['parameters'] / 1e6:.1f}M",
            )
            for row in here
        ]
        columns = ("train", "test", "model", *SHOWN, "size")
        tables.append(make_table(columns, cells, f"{level} level"))
        values = {
            f"{row['model']}: {row['train']} on {row['test']}": tuple(
                row["metrics"]["tau"][part] for part in ("value", "low", "high")
            )
            for row in here
        }
        figures[f"{level}-tau"] = forest(values, "tau")
    files = write_results(output, rows, figures)
    return Reply({"cells": rows, "files": files}, Group(*tables))


def add_to(app: typer.Typer) -> None:
    app.command("cross-domain")(cross_domain)
