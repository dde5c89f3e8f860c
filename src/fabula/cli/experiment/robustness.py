"""fabula experiment robustness"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.experiment.common import DataArgument, FolderOption, ModelsOption, SettingsOption

LevelsOption = Annotated[str, typer.Option("--levels", help="Per cent of units hit.")]
KindsOption = Annotated[str, typer.Option("--kinds", help="insert, remove, modify.")]
CleanOption = Annotated[bool, typer.Option("--clean-training", help="Only test on noisy texts.")]


@command
def robustness(
    data: DataArgument,
    model: ModelsOption,
    output: FolderOption,
    levels: LevelsOption = "0,20,50,80,100",
    kinds: KindsOption = "insert,remove,modify",
    clean_training: CleanOption = False,
    set_: SettingsOption = None,
    seed: int = 0,
) -> Reply:
    """Train and test on texts with advertisements, gaps and misreadings (Figure 2)."""
    from rich.console import Group

    from fabula.bench.experiments.cells import SHOWN, read_data
    from fabula.bench.experiments.robustness import robustness as run
    from fabula.cli.experiment.common import (
        draw_lines,
        file_list,
        parse_numbers,
        parse_specs,
        show,
        write_results,
    )
    from fabula.cli.outputs import make_table
    from fabula.errors import UsageError

    shares = parse_numbers(levels, "--levels")
    if not all(0 <= share <= 100 for share in shares):
        raise UsageError(f"--levels takes per cents from 0 to 100; it is {levels!r}")
    rows = run(
        read_data(data),
        parse_specs(model, set_ or []),
        output,
        levels=[share / 100 for share in shares],
        kinds=kinds.split(","),
        clean_training=clean_training,
        seed=seed,
    )
    cells = [
        (
            row["model"],
            f"{row['level']:.0%}",
            f"{row['items']}",
            *(show(row["metrics"][name]) for name in SHOWN),
        )
        for row in rows
    ]
    figures = draw_lines(rows, lambda row: 100 * row["level"], "per cent of units hit")
    files = write_results(output, rows, figures)
    table = make_table(("model", "noise", "texts", *SHOWN), cells)
    return Reply({"cells": rows, "files": files}, Group(table, file_list(files)))


def add_to(app: typer.Typer) -> None:
    app.command("robustness")(robustness)
