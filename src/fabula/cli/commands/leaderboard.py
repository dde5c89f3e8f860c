"""fabula leaderboard"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import RunsArgument

MetricOption = Annotated[str | None, typer.Option("--metric", help="Which metric; else the first.")]


@command
def leaderboard(runs: RunsArgument, metric: MetricOption = None) -> Reply:
    """Rank runs; models that do not differ significantly share a rank."""
    from dataclasses import asdict

    from fabula.bench.compare import leaderboard as run
    from fabula.bench.runs.store import find_runs
    from fabula.cli.outputs import make_table

    rows = run(find_runs(runs), metric)
    cells = [
        [
            f"{row.task} {row.fingerprint[:8]}",
            row.rank,
            row.model,
            f"{row.metric} {row.value:.4f}",
            f"[{row.low:.4f}, {row.high:.4f}]",
            str(row.items),
        ]
        for row in rows
    ]
    columns = ["data", "rank", "model", "value", "95 % interval", "items"]
    data = {
        "places": [{**asdict(row), "folder": str(row.folder), "rank": row.rank} for row in rows]
    }
    return Reply(data, make_table(columns, cells))


def add_to(app: typer.Typer) -> None:
    app.command("leaderboard")(leaderboard)
