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

    places = run(find_runs(runs), metric)
    rows = [
        [
            f"{place.task} {place.fingerprint[:8]}",
            place.rank,
            place.model,
            f"{place.metric} {place.value:.4f}",
            f"[{place.low:.4f}, {place.high:.4f}]",
            str(place.items),
        ]
        for place in places
    ]
    columns = ["data", "rank", "model", "value", "95 % interval", "items"]
    data = {"places": [{**asdict(p), "folder": str(p.folder), "rank": p.rank} for p in places]}
    return Reply(data, make_table(columns, rows))


def add_to(app: typer.Typer) -> None:
    app.command("leaderboard")(leaderboard)
