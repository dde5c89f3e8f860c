"""fabula experiment cross-domain"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.experiment.common import FolderOption, ModelsOption, SettingsOption

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
    import numpy as np
    from rich.console import Group

    from fabula.bench.experiments.cells import SHOWN, read_data
    from fabula.bench.experiments.cross_domain import cross_domain as run
    from fabula.bench.experiments.figures import matrix
    from fabula.cli.experiment.common import file_list, parse_specs, show, write_results
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
                "" if row["parameters"] is None else f"{row['parameters'] / 1e6:.2f}M",
            )
            for row in here
        ]
        columns = ("train", "test", "model", *SHOWN, "size")
        tables.append(make_table(columns, cells, f"{level} level"))
        names = list(dict.fromkeys(row["train"] for row in here))
        for metric in ("tau", "WLCS-l"):
            squares: dict[str, Any] = {}
            for row in here:
                table = squares.setdefault(row["model"], np.zeros((len(names), len(names))))
                cell = names.index(row["train"]), names.index(row["test"])
                table[cell] = row["metrics"][metric]["value"]
            figures[f"{level}-{metric}"] = matrix(squares, names, metric)
    files = write_results(output, rows, figures)
    return Reply({"cells": rows, "files": files}, Group(*tables, file_list(files)))


def add_to(app: typer.Typer) -> None:
    app.command("cross-domain")(cross_domain)
