"""fabula stats"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command

ItemsArgument = Annotated[
    list[str],
    typer.Argument(
        help="Built files, or packaged ones; x.jsonl also stands for x.train.jsonl and so on."
    ),
]

# The column that only items of one task have.
_TASK_OF = {
    "sentences": "salads",
    "units": "ordering",
    "hole": "events",
    "messages": "conversations",
    "options": "endings",
    "InputSentence1": "endings",
}


@command
def stats(items: ItemsArgument) -> Reply:
    """Say how many items a file holds and how large they are (the papers' Table 1)."""
    from fabula.cli.outputs import make_table
    from fabula.errors import UsageError

    paths = list(dict.fromkeys(path for item in items for path in _files(item)))
    kinds = {path: _task(path) for path in paths}
    task, *others = dict.fromkeys(kinds.values())
    if others:
        raise UsageError(
            f"the files hold items of {task} and of {others[0]}; name those of one task"
        )
    counts_by_path = {path: _counted(task, path) for path in paths}
    columns = [task, *((Path(path).name for path in paths) if len(paths) > 1 else [""])]
    rows = [
        (name.replace("_", " "), *(_show(counts[name]) for counts in counts_by_path.values()))
        for name in counts_by_path[paths[0]]
    ]
    data = counts_by_path[paths[0]] if len(paths) == 1 else {"files": counts_by_path}
    return Reply({"task": task, **data}, make_table(columns, rows))


def _files(name: str) -> list[str]:
    """The file, or its split files (``x.train.jsonl`` ...) if only those exist."""
    from fabula.cli.inputs import packaged
    from fabula.text.io.splits import side_path

    path = packaged(name)
    sides = [side_path(Path(path), side) for side in ("train", "dev", "test")]
    existing = [str(side) for side in sides if side.is_file()]
    return [path] if Path(path).exists() or not existing else existing


def _counted(task: str, path: str) -> dict[str, Any]:
    from fabula.registry import tasks

    counts: dict[str, Any] = importlib.import_module(f"fabula.{task}.stats").statistics(
        tasks.get(task).read(path)
    )
    return counts


def _task(path: str) -> str:
    from fabula.errors import InputError
    from fabula.text.io.records import read_records

    if path == "-":  # it is read twice: to see what it is, and to count
        raise InputError("give a file, not standard input")
    first = next(read_records(path), None)
    if first is None:
        raise InputError("holds no items", path=path)
    for column, task in _TASK_OF.items():
        if column in first.data:
            return task
    columns, expected = ", ".join(first.data), ", ".join(_TASK_OF)
    raise InputError(
        f"are no items fabula builds: columns {columns}, none of {expected}", path=path
    )


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
