"""fabula errors"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import RunsArgument

BelowOption = Annotated[
    float, typer.Option("--below", help="Items the first run scores below this.")
]
MetricOption = Annotated[str | None, typer.Option("--metric", help="Which metric; else the first.")]


@command
def errors(runs: RunsArgument, below: BelowOption = 0.5, metric: MetricOption = None) -> Reply:
    """List the items the first run does worst on, and which other runs rescue them."""
    from dataclasses import asdict

    from fabula.bench.compare import errors as run
    from fabula.bench.store import find_runs
    from fabula.cli.outputs import make_table

    found = run(find_runs(runs), below=below, metric=metric)
    rows = [[e.id, f"{e.score:.3f}", ", ".join(e.rescued_by) or "nobody"] for e in found]
    data = {"errors": [asdict(error) for error in found]}
    if not found:
        return Reply(data, f"no item of the first run scores below {below:g}")
    return Reply(data, make_table(["item", "score", "rescued by"], rows))


def add_to(app: typer.Typer) -> None:
    app.command("errors")(errors)
