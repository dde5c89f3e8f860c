"""Shared by the ordering experiments' commands: data sets, model settings, figures."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fabula.bench.experiments.cells import Spec

__all__ = [
    "DataArgument",
    "FolderOption",
    "ModelsOption",
    "SettingsOption",
    "draw_lines",
    "file_list",
    "parse_numbers",
    "parse_specs",
    "show",
    "write_results",
]

DataArgument = Annotated[
    Path, typer.Argument(help="x.jsonl for x.train.jsonl, x.dev.jsonl and x.test.jsonl.")
]
ModelsOption = Annotated[
    list[str], typer.Option("--model", "-m", help="An ordering model. Repeatable.")
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter: epochs=5, or of one model: attorder.hidden=64."),
]
FolderOption = Annotated[
    Path, typer.Option("--output", "-o", help="Folder of the experiment; run again to go on.")
]


def parse_specs(names: Sequence[str], settings: Sequence[str]) -> list[Spec]:
    """Models with their parameters; a parameter without a model goes to each that has it."""
    import inspect

    from fabula.bench.experiments.cells import Spec
    from fabula.cli.inputs import parse_setting
    from fabula.errors import UnknownName, UsageError
    from fabula.registry import create_model, models

    chosen: dict[str, dict[str, Any]] = {name: {} for name in names}
    accepted: dict[str, list[str]] = {}
    for name in chosen:
        if f"ordering/{name}" in models:
            accepted[name] = list(inspect.signature(models.get(f"ordering/{name}")).parameters)
        else:
            create_model("ordering", name)  # a folder, or an error that says what is known
            accepted[name] = []
    for setting in settings:
        target, value = parse_setting(setting, "NAME=VALUE or MODEL.NAME=VALUE")
        model, dot, parameter = target.rpartition(".")
        if dot and model not in chosen:
            raise UsageError(
                f"--set {setting}: {model!r} is not among {', '.join(chosen)}; add -m {model}"
            )
        takers = [name for name in chosen if parameter in accepted[name] and model in ("", name)]
        if not takers:
            raise UnknownName("parameter", parameter, {p for ps in accepted.values() for p in ps})
        for name in takers:
            chosen[name][parameter] = value
    return [Spec(name, tuple(values.items())) for name, values in chosen.items()]


def parse_numbers(text: str, option: str) -> list[float]:
    """``1000,3000`` as numbers."""
    from fabula.errors import UsageError

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise UsageError(f"{option} takes numbers with commas between; it is {text!r}")
    return numbers


def draw_lines(
    rows: Sequence[Mapping[str, Any]], at: Callable[[Mapping[str, Any]], float], along: str
) -> dict[str, str]:
    """A figure for each of three metrics, a line a model; ``at`` gives a row's place on it."""
    from fabula.bench.experiments.figures import lines

    figures = {}
    for name in ("WLCS-l", "Acc", "tau"):
        series: dict[str, list[tuple[float, float, float, float]]] = {}
        for row in rows:
            estimate = row["metrics"][name]
            point = (at(row), estimate["value"], estimate["low"], estimate["high"])
            series.setdefault(row["model"], []).append(point)
        figures[name] = lines(series, along, name)
    return figures


def show(metric: Mapping[str, float]) -> str:
    """A metric of a cell, for a table."""
    from fabula.cli.outputs import with_interval

    return with_interval(metric["value"], metric["low"], metric["high"])


def file_list(files: Sequence[str]) -> Any:
    """Where the figures are, for people."""
    from rich.text import Text

    return Text(f"figures: {', '.join(name for name in files if name.endswith('.svg'))}")


def write_results(folder: Path, rows: Iterable[Any], figures: Mapping[str, str]) -> list[str]:
    """``results.json`` and the figures; says where they are."""
    from fabula.core.files import write_text

    write_text(folder / "results.json", json.dumps(list(rows), indent=1) + "\n")
    for name, figure in figures.items():
        write_text(folder / f"{name}.svg", figure)
    return [str(folder / "results.json"), *(str(folder / f"{name}.svg") for name in figures)]
