"""fabula evaluate"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.commands.compare import compared
from fabula.cli.common import Reply, command
from fabula.cli.inputs import packaged
from fabula.cli.outputs import make_table, with_interval

TaskArgument = Annotated[
    str,
    typer.Argument(help="salads, ordering, events, endings, pairs, conversations or coreference."),
]
ItemsArgument = Annotated[str, typer.Argument(help="Built items, or 'sample-endings'.")]
ModelsOption = Annotated[
    list[str], typer.Option("--model", "-m", help="A name, NAME:ARGUMENT, a folder, or best.")
]
UnknownOption = Annotated[
    bool, typer.Option("--unknown-k", help="Salads: do not tell the number of stories.")
]
RunsOption = Annotated[Path | None, typer.Option("--output", "-o", help="Folder to keep runs in.")]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Measure again if it is there, and on items seen in training."),
]
MetricsOption = Annotated[
    list[str] | None, typer.Option("--metric", help="Only this metric. Repeatable. [all]")
]


@command
def evaluate(
    task: TaskArgument,
    items: ItemsArgument,
    model: ModelsOption,
    unknown_k: UnknownOption = False,
    output: RunsOption = None,
    force: ForceOption = False,
    metric: MetricsOption = None,
    seed: int = 0,
) -> Reply:
    """Measure models on items, with intervals; of several models, say which truly differ."""
    from fabula.bench.evaluate import evaluate as run
    from fabula.bench.runs.fingerprints import model_name, model_size
    from fabula.registry import create_model

    options = {"unknown_k": True} if unknown_k else {}
    path = packaged(items)
    made = [create_model(task, spec) for spec in model]
    sizes = [model_size(model_object) for model_object in made]
    runs = [
        run(
            task,
            path,
            model_object,
            name=model_name(spec),
            folder=output,
            seed=seed,
            options=options,
            force=force,
            metrics=metric,
        )
        for spec, model_object in zip(model, made, strict=True)
    ]
    results: list[dict[str, Any]] = [
        {
            "model": spec,
            "metrics": {
                name: {"value": e.value, "low": e.low, "high": e.high}
                for name, e in done.metrics.items()
            },
            "seconds": done.timing["seconds"],
            **({} if size is None else {"parameters": size}),
            **({"run": str(done.folder)} if done.folder else {}),
        }
        for spec, done, size in zip(model, runs, sizes, strict=True)
    ]
    count = runs[0].data["items"]
    # A model that has nothing but its answers lacks the metrics that ask further questions.
    measured = max((done.metrics for done in runs), key=len)
    counted = any(size is not None for size in sizes)
    columns = ["model", *measured, *(["parameters"] if counted else []), "seconds"]
    rows = [
        [
            result["model"],
            *(_cell(result["metrics"].get(name)) for name in measured),
            *([f"{result['parameters']:,}" if "parameters" in result else "-"] if counted else []),
            f"{result['seconds']:.1f}",
        ]
        for result in results
    ]
    data = {"task": task, "items": count, "results": results}
    shown = [_table(columns, rows, f"{task}, {count} items, 95 % intervals")]
    notes = [f"{spec}: {note}" for spec, r in zip(model, runs, strict=True) for note in r.notes]
    if notes:
        data["notes"] = notes
        shown.append("\n".join(notes))
    if len({done.folder or index for index, done in enumerate(runs)}) > 1:
        data["comparisons"], table = compared(runs, seed)
        shown.append(table)
    return Reply(data, _stacked(shown))


def _cell(metric: Any) -> str:
    return "-" if metric is None else with_interval(**metric)


def _stacked(parts: list[Any]) -> Any:
    from rich.console import Group

    return parts[0] if len(parts) == 1 else Group(*parts)


def _table(columns: list[str], rows: list[list[str]], title: str) -> Any:
    """Many metrics read better down the page than across it."""
    if len(columns) <= 5:
        return make_table(columns, rows, title)
    turned = [[name, *(row[index] for row in rows)] for index, name in enumerate(columns)]
    return make_table(["", *turned[0][1:]], turned[1:], title)


def add_to(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)
