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
    from fabula.bench.train import train as run
    from fabula.cli.inputs import parse_setting
    from fabula.cli.outputs import with_interval
    from fabula.core.training import Devices, is_first

    chosen = Devices(devices, strategy) if strategy else Devices(devices)
    settings = dict(map(parse_setting, set_ or []))
    done = run(model, items, output, dev=dev or [], seed=seed, devices=chosen, **settings)
    if not is_first():
        raise typer.Exit  # the first of the processes saves, and says so
    lines = [_curve_line(n, epoch) for epochs in done.epochs for n, epoch in enumerate(epochs, 1)]
    if done.development is not None:
        metric, score = done.development
        lines.append(f"development: {metric} {with_interval(score.value, score.low, score.high)}")
    name = model.partition("/")[2]
    lines.append(f"{name}: {done.items} items, {done.seconds:.1f} s, saved in {output}")
    return Reply(done.to_dict(), "\n".join(lines))


def _curve_line(number: int, epoch: Any) -> str:
    score = "" if epoch.score is None else f", development {epoch.score:.4f}"
    return f"epoch {number}: loss {epoch.loss:.4f}{score}, {epoch.seconds:.1f} s"


def add_to(app: typer.Typer) -> None:
    app.command("train")(train)
