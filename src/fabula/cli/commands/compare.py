"""fabula compare"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import RunsArgument

MetricOption = Annotated[str | None, typer.Option("--metric", help="Which metric; else the first.")]


@command
def compare(runs: RunsArgument, metric: MetricOption = None, seed: int = 0) -> Reply:
    """Say which of the runs truly differ: paired, corrected for the number of pairs."""
    from fabula.bench.runs.store import find_runs

    data, table = compared(find_runs(runs), seed, metric)
    return Reply({"comparisons": data}, table)


def compared(runs: Sequence[Any], seed: int, metric: str | None = None) -> tuple[list[Any], Any]:
    """All pairs of runs, for programs and as a table; ``evaluate`` shows it below its own."""
    from dataclasses import asdict

    from fabula.bench.compare import compare as run
    from fabula.cli.outputs import make_table

    pairs = run(runs, metric, seed=seed)
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
    return [asdict(pair) for pair in pairs], make_table(columns, rows)


def add_to(app: typer.Typer) -> None:
    app.command("compare")(compare)
