"""fabula experiment learnability"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.experiment.common import DataArgument, FolderOption, ModelsOption, SettingsOption

SizesOption = Annotated[str, typer.Option("--sizes", help="Training texts, with commas between.")]
DrawsOption = Annotated[str, typer.Option("--draws", help="How often each size is drawn.")]


@command
def learnability(
    data: DataArgument,
    model: ModelsOption,
    output: FolderOption,
    sizes: SizesOption = "1000,3000,5000,8000,10000",
    draws: DrawsOption = "20,10,5,5,5",
    set_: SettingsOption = None,
    seed: int = 0,
) -> Reply:
    """Train on small samples of a corpus, drawn several times (Figure 1)."""
    from rich.console import Group

    from fabula.bench.experiments.cells import SHOWN, read_data
    from fabula.bench.experiments.learnability import learnability as run
    from fabula.bench.experiments.learnability import summary
    from fabula.cli.experiment.common import (
        draw_lines,
        file_list,
        parse_numbers,
        parse_specs,
        show,
        write_results,
    )
    from fabula.cli.outputs import make_table

    rows = run(
        read_data(data),
        parse_specs(model, set_ or []),
        output,
        sizes=[int(size) for size in parse_numbers(sizes, "--sizes")],
        draws=[int(number) for number in parse_numbers(draws, "--draws")],
        seed=seed,
    )
    means = summary(rows)
    cells = [
        (m["model"], f"{m['size']}", f"{m['draws']}", *(show(m["metrics"][name]) for name in SHOWN))
        for m in means
    ]
    figures = draw_lines(means, lambda row: row["size"], "training texts")
    files = write_results(output, rows, figures)
    table = make_table(("model", "texts", "draws", *SHOWN), cells, "mean [least, most] over draws")
    return Reply({"cells": rows, "means": means, "files": files}, Group(table, file_list(files)))


def add_to(app: typer.Typer) -> None:
    app.command("learnability")(learnability)
