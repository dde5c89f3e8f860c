"""fabula evaluate"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import packaged

TaskArgument = Annotated[str, typer.Argument(help="salads, ordering, events or endings.")]
ItemsArgument = Annotated[str, typer.Argument(help="Built items, or 'sample-endings'.")]
ModelsOption = Annotated[
    list[str], typer.Option("--model", "-m", help="A name, NAME:ARGUMENT, a folder, or best.")
]
UnknownOption = Annotated[
    bool, typer.Option("--unknown-k", help="Salads: do not tell the number of stories.")
]
RunsOption = Annotated[Path | None, typer.Option("--output", "-o", help="Folder to keep runs in.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Measure again even if it is there.")]


@command
def evaluate(
    task: TaskArgument,
    items: ItemsArgument,
    model: ModelsOption,
    unknown_k: UnknownOption = False,
    output: RunsOption = None,
    force: ForceOption = False,
    seed: int = 0,
) -> Reply:
    """Measure models on items, with intervals."""
    from fabula.bench.evaluate import evaluate as run
    from fabula.cli.outputs import make_table

    options = {"unknown_k": True} if unknown_k else {}
    path = packaged(items)
    runs = [
        run(task, path, spec, folder=output, seed=seed, options=options, force=force)
        for spec in model
    ]
    results: list[dict[str, Any]] = [
        {
            "model": spec,
            "metrics": {
                name: {"value": e.value, "low": e.low, "high": e.high}
                for name, e in done.metrics.items()
            },
            "seconds": done.timing["seconds"],
            **({"run": str(done.folder)} if done.folder else {}),
        }
        for spec, done in zip(model, runs, strict=True)
    ]
    count = runs[0].data["items"]
    columns = ["model", *runs[0].metrics, "seconds"]
    rows = [
        [
            result["model"],
            *(
                f"{m['value']:.3f} [{m['low']:.3f}, {m['high']:.3f}]"
                for m in result["metrics"].values()
            ),
            f"{result['seconds']:.1f}",
        ]
        for result in results
    ]
    data = {"task": task, "items": count, "results": results}
    return Reply(data, _table(columns, rows, f"{task}, {count} items, 95 % intervals", make_table))


def _table(columns: list[str], rows: list[list[str]], title: str, make_table: Any) -> Any:
    """Many metrics read better down the page than across it."""
    if len(columns) <= 5:
        return make_table(columns, rows, title)
    turned = [[name, *(row[place] for row in rows)] for place, name in enumerate(columns)]
    return make_table(["", *turned[0][1:]], turned[1:], title)


def add_to(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)
