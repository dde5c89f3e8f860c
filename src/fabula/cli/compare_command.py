"""fabula compare"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import RunsArgument

MetricOption = Annotated[str | None, typer.Option("--metric", help="Which metric; else the first.")]


@command
def compare(runs: RunsArgument, metric: MetricOption = None, seed: int = 0) -> Reply:
    """Say which of the runs truly differ: paired, corrected for the number of pairs."""
    from dataclasses import asdict

    from fabula.bench.compare import compare as run
    from fabula.bench.store import find_runs
    from fabula.cli.outputs import make_table

    pairs = run(find_runs(runs), metric, seed=seed)
    rows = [
        [
            f"{pair.first} - {pair.second}",
            f"{pair.difference:+.4f}",
            f"[{pair.low:+.4f}, {pair.high:+.4f}]",
            f"{pair.p_holm:.4f}",
            "yes" if pair.significant else "no",
            "-" if pair.detectable is None else f"{pair.detectable:.4f}",
        ]
        for pair in pairs
    ]
    columns = ["difference", pairs[0].metric, "95 % interval", "p (Holm)", "differ", "detectable"]
    return Reply({"comparisons": [asdict(p) for p in pairs]}, make_table(columns, rows))


def add_to(app: typer.Typer) -> None:
    app.command("compare")(compare)
