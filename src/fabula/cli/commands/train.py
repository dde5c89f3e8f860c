"""fabula train"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command

ModelArgument = Annotated[
    str, typer.Argument(metavar="TASK/MODEL", help="Such as ordering/linear.")
]
ItemsArgument = Annotated[list[Path], typer.Argument(help="Built items; events: chains, a store.")]
DevOption = Annotated[list[Path] | None, typer.Option("--dev", help="Items to tune and stop on.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter of the model: rate=1e-3. Repeatable.")
]
DevicesOption = Annotated[
    int, typer.Option("--devices", min=1, help="Processes or devices to train a network on.")
]
StrategyOption = Annotated[
    str | None, typer.Option("--strategy", help="Lightning's, of several devices. [ddp]")
]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="Folder for the weights.")]


@command
def train(
    model: ModelArgument,
    items: ItemsArgument,
    output: FolderOption,
    dev: DevOption = None,
    set_: SetOption = None,
    devices: DevicesOption = 1,
    strategy: StrategyOption = None,
    seed: int = 0,
) -> Reply:
    """Train a model on built items and save it (JSON and safetensors).

    A network's epochs are printed with their scores on the development items; of other models the
    score of the trained one is, where --dev is given.
    """
    import inspect
    import time

    from fabula.core.training import Devices, is_first, on_devices, recorded_epochs
    from fabula.errors import UsageError
    from fabula.registry import models, tasks

    task_name, _, name = model.partition("/")
    task = tasks.get(task_name)
    factory = models.get(model)
    if not hasattr(factory, "fit"):
        raise UsageError(f"{model} has nothing to learn; use it as it is with evaluate")
    if output.is_file():
        raise UsageError(f"-o {output}: is a file, and a folder is to be written there")
    seed_option = {"seed": seed} if "seed" in inspect.signature(factory).parameters else {}
    unfitted = factory(**seed_option, **_parameters(factory, set_ or []))
    started = time.monotonic()
    training = _read(task, items)
    tuning = _read(task, dev or [])
    chosen = Devices(devices, strategy) if strategy else Devices(devices)
    with on_devices(chosen), recorded_epochs() as histories:
        fitted = unfitted.fit(training, tuning)
    if devices > 1 and not chosen.used:
        raise UsageError(f"{model} is not trained by Lightning: leave out --devices")
    if not is_first():
        raise typer.Exit  # the first of the processes saves, and says so
    fitted.save(output)
    seconds = time.monotonic() - started
    curve = [
        [{"loss": e.loss, "development": e.score, "seconds": e.seconds} for e in epochs]
        for epochs in histories
    ]
    data = {"model": model, "items": len(training), "folder": str(output), "seconds": seconds}
    data |= {"epochs": curve} if curve else {}
    lines = [_curve_line(n, epoch) for epochs in curve for n, epoch in enumerate(epochs, 1)]
    if dev and not curve and task.training is None:
        data["development"], line = _development(task, tuning, fitted, name, seed)
        lines.append(line)
    lines.append(f"{name}: {len(training)} items, {seconds:.1f} s, saved in {output}")
    return Reply(data, "\n".join(lines))


def _curve_line(number: int, epoch: Any) -> str:
    score = "" if epoch["development"] is None else f", development {epoch['development']:.4f}"
    return f"epoch {number}: loss {epoch['loss']:.4f}{score}, {epoch['seconds']:.1f} s"


def _development(
    task: Any, items: Any, model: Any, name: str, seed: int
) -> tuple[dict[str, Any], str]:
    """The trained model's value on the development items, which it may have been tuned on."""
    from fabula.bench.evaluate import evaluate
    from fabula.cli.outputs import with_interval

    (metric,) = task.metric_names[:1]
    run = evaluate(task, items, model, name=name, metrics=[metric], seed=seed, force=True)
    estimate = run.metrics[metric]
    value = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {"metric": metric, **value}, f"development: {metric} {with_interval(**value)}"


def _read(task: Any, paths: list[Path]) -> Any:
    from fabula.errors import InputError

    if task.training is not None:
        return task.training(paths)
    items = []
    for path in paths:
        file_items = list(task.read(path))
        if not file_items:
            raise InputError("holds no items", path=path)
        items += file_items
    return items


def _parameters(factory: Any, settings: list[str]) -> dict[str, Any]:
    """``rate=1e-3`` as a constructor's argument."""
    import inspect

    from fabula.cli.inputs import parse_setting
    from fabula.core.params import check_settings
    from fabula.errors import UnknownName

    accepted = [name for name in inspect.signature(factory).parameters if name != "seed"]
    parameters = dict(map(parse_setting, settings))
    for name in parameters:
        if name not in accepted:
            raise UnknownName("parameter", name, accepted)
    check_settings(factory, parameters)
    return parameters


def add_to(app: typer.Typer) -> None:
    app.command("train")(train)
