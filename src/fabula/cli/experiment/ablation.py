"""fabula experiment ablation"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

ItemsArgument = Annotated[Path, typer.Argument(help="Endings with gold, such as Story Cloze val.")]
TestOption = Annotated[
    Path | None, typer.Option("--test", help="Test on these; else by folds over the items.")
]
FoldsOption = Annotated[int, typer.Option("--folds", min=2, help="Folds, grouped by item.")]


@command
def ablation(
    items: ItemsArgument, test: TestOption = None, folds: FoldsOption = 5, seed: int = 0
) -> Reply:
    """What each group of EndingReg's features is worth alone (Table 3), by both decision rules."""
    from fabula.cli.outputs import make_table, with_interval
    from fabula.endings.formats.tables import read_endings
    from fabula.endings.models.endingreg.ablation import ablation as run

    asked = [] if test is None else list(read_endings(test))
    rows = run(list(read_endings(items)), asked, folds=folds, seed=seed)
    data = [
        {
            "features": row.features,
            "decision": row.decision,
            "accuracy": {"value": row.accuracy, "low": row.interval.low, "high": row.interval.high},
            "items": row.items,
            "paper": row.paper,
        }
        for row in rows
    ]
    cells = [
        [
            row.features,
            row.decision,
            with_interval(row.accuracy, *row.interval),
            "-" if row.paper is None else f"{row.paper:.3f}",
        ]
        for row in rows
    ]
    title = f"EndingReg, {rows[0].items} items, 95 % intervals"
    return Reply(
        {"rows": data}, make_table(["features", "decision", "ours", "paper"], cells, title)
    )


def add_to(app: typer.Typer) -> None:
    app.command("ablation")(ablation)
