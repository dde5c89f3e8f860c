"""fabula stats"""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command

ItemsArgument = Annotated[str, typer.Argument(help="A built file, or a packaged one.")]

# The column that only items of one task have.
_TASK_OF = {
    "sentences": "salads",
    "units": "ordering",
    "hole": "events",
    "options": "endings",
    "InputSentence1": "endings",
}


@command
def stats(items: ItemsArgument) -> Reply:
    """Say how many items a file holds and how large they are (the papers' Table 1)."""
    from fabula.cli.inputs import packaged
    from fabula.cli.outputs import make_table
    from fabula.registry import tasks

    path = packaged(items)
    task = _task(path)
    found = importlib.import_module(f"fabula.{task}.stats").statistics(tasks.get(task).read(path))
    rows = [(name.replace("_", " "), _show(value)) for name, value in found.items()]
    return Reply({"task": task, **found}, make_table((task, ""), rows))


def _task(path: str) -> str:
    from fabula.errors import InputError
    from fabula.text.records import read_records

    if path == "-":  # it is read twice: to see what it is, and to count
        raise InputError("give a file, not standard input")
    first = next(read_records(path), None)
    if first is None:
        raise InputError("holds no items", path=path)
    for column, task in _TASK_OF.items():
        if column in first.data:
            return task
    columns, known = ", ".join(first.data), ", ".join(_TASK_OF)
    raise InputError(f"are no items fabula builds: columns {columns}, none of {known}", path=path)


def _show(value: Any) -> str:
    return (
        "not stored"
        if value is None
        else f"{value:,}"
        if isinstance(value, int)
        else f"{value:,.3f}"
    )


def add_to(app: typer.Typer) -> None:
    app.command("stats")(stats)
