"""fabula errors"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import RunsArgument

BelowOption = Annotated[
    float | None,
    typer.Option("--below", help="Items the first run scores below this. [salads 0.65, else 0.5]"),
]
MetricOption = Annotated[str | None, typer.Option("--metric", help="Which metric; else the first.")]
ItemsOption = Annotated[
    Path | None,
    typer.Option("--items", help="The salads, for their topic cosines. [as evaluated]"),
]


@command
def errors(
    runs: RunsArgument,
    below: BelowOption = None,
    metric: MetricOption = None,
    items: ItemsOption = None,
) -> Reply:
    """List the items the first run does worst on, and which other runs rescue them.

    The first run by path; it is named above the list.
    Salads built with --cosine are also told apart by how near in topic their documents are.
    """
    from dataclasses import asdict

    from rich.console import Group
    from rich.text import Text

    from fabula.bench.align import shared_metric
    from fabula.bench.compare import errors as run
    from fabula.bench.runs.store import find_runs, labels
    from fabula.bench.topic_correlation import topic_correlation, topic_cosines
    from fabula.cli.outputs import make_table

    saved_runs = find_runs(runs)
    if below is None:
        below = 0.65 if saved_runs[0].task == "salads" else 0.5  # the paper's bar, and a coin's
    cosines = topic_cosines(saved_runs, items)
    worst = run(saved_runs, below=below, metric=metric)
    correlations = (
        topic_correlation(saved_runs, cosines, below=below, metric=metric)
        if len(cosines) > 2
        else []
    )
    metric = shared_metric(saved_runs, metric)
    analysed, *others = labels(saved_runs)
    data: dict[str, Any] = {
        "run": analysed,
        "folder": str(saved_runs[0].folder),
        "others": others,
        "metric": metric,
        "below": below,
        "errors": [
            {**asdict(e), "cosine": cosines.get(e.id)} if correlations else asdict(e) for e in worst
        ],
    }
    title = f"{analysed}, {metric} below {below:g}, in {saved_runs[0].folder}"
    none = "" if worst else ": no item"
    shown: list[Any] = [Text(title + none)]
    if worst:
        rows = [
            [
                e.id,
                f"{e.score:.3f}",
                *([f"{cosines[e.id]:.3f}"] if correlations else []),
                _rescuers(e),
            ]
            for e in worst
        ]
        names = ["item", "score", *(["cosine"] if correlations else []), "rescued by"]
        shown.append(make_table(names, rows))
    if correlations:
        data["nearness"] = [asdict(row) for row in correlations]
        names = ["model", "Spearman with cosine", "p", f"below {below:g}", "close", "distinct"]
        shown.append(make_table(names, [_correlation_cells(row) for row in correlations]))
    return Reply(data, Group(*shown) if len(shown) > 1 else shown[0])


def _rescuers(error: Any) -> str:
    return ", ".join(error.rescued_by) or "nobody"


def _correlation_cells(row: Any) -> list[str]:
    counts = [row.bad, row.close, row.bad - row.close]
    return [row.model, f"{row.rho:+.3f}", f"{row.p:.2g}", *map(str, counts)]


def add_to(app: typer.Typer) -> None:
    app.command("errors")(errors)
