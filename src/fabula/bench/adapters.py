"""Models of every task that are named by an argument: a file of answers, an object of one's own."""

from __future__ import annotations

import importlib
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError, UsageError
from fabula.task import Task
from fabula.text.io.records import read_records
from fabula.text.io.streams import split_name

__all__ = ["AnswersFile", "Unshuffled", "from_answers", "from_python"]

_IDS = ("id", "InputStoryid")


class AnswersFile:
    """Answers in a file as a model: looked up by item id, nothing is computed.

    A row has the item's ``id`` (else it answers the item of that number, from 1) and its answer,
    either under ``answer`` or as the row's own fields, in whatever form ``Task.answer`` reads. An
    answer is about the item as its file has it, so the evaluator must not shuffle (``as_stored``).
    The ``items.parquet`` of a stored run is such a file, and so is a file of items with gold.
    """

    as_stored = True
    without_context = "never"  # there are answers to the items themselves alone

    def __init__(self, task: Task[Any, Any], path: str | os.PathLike[str]) -> None:
        self.path = path
        self._task = task
        setattr(self, task.contract.partition("(")[0] or "answer", self._look_up)

    @cached_property
    def _rows(self) -> dict[str, tuple[int, Any]]:
        rows: dict[str, tuple[int, Any]] = {}
        kind = "csv" if split_name(self.path)[1] == ".txt" else None
        for record in read_records(self.path, kind=kind):
            names = [record.data[key] for key in _IDS if record.data.get(key) is not None]
            name = str(names[0] if names else record.line)
            if name in rows:
                problem = f"a second answer for item {name!r}"
                raise InputError(problem, path=self.path, line=record.line)
            rows[name] = record.line, _value(record.data)
        return rows

    def _look_up(self, items: Sequence[Any], *_: Any) -> list[Any]:
        return [self._answer(item) for item in items]

    def _answer(self, item: Any) -> Any:
        if item.id not in self._rows:
            raise InputError(f"has no answer for item {item.id!r}", path=self.path)
        line, value = self._rows[item.id]
        try:
            return self._task.answer(item, value)
        except UsageError as error:
            raise InputError(str(error), path=self.path, line=line) from error


def _value(row: Mapping[str, Any]) -> Any:
    value = row.get("answer")
    if value is None:
        return {key: entry for key, entry in row.items() if key not in _IDS}
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parse_json(value)
        except ValueError as error:
            raise UsageError(f"'answer' is not JSON ({error})") from error
    return value


class Unshuffled(random.Random):
    """A generator that leaves everything in its order, for ``Task.present``."""

    def shuffle(self, x: Any) -> None:
        """Leave it as it is."""

    def random(self) -> float:
        raise UsageError("answers of a file need items as stored, and this task draws at random")

    def getrandbits(self, k: int, /) -> int:
        return int(self.random())


def from_answers(task: Task[Any, Any], argument: str) -> AnswersFile:
    """``answers:FILE``"""
    return AnswersFile(task, argument)


def from_python(task: Task[Any, Any], argument: str) -> Any:
    """``python:MODULE:NAME``: an object, a class or a function of the user's own module.

    MODULE is importable, in the current folder, or the path of a ``.py`` file.
    """
    module, _, name = argument.rpartition(":")
    if not module or not name:
        raise UsageError(f"write python:MODULE:NAME; it is {argument!r}")
    try:
        thing = getattr(_import(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"python:{argument}: {error}") from error
    return task.as_model(thing)


def _import(module: str) -> ModuleType:
    path = Path(module)
    if path.suffix == ".py":
        with _importing_from(path.parent):
            return importlib.import_module(path.stem)
    with _importing_from(Path.cwd()):
        return importlib.import_module(module)


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """The folder goes first while a module is imported, and last for what it imports later."""
    name = str(folder.resolve())
    sys.path.insert(0, name)
    try:
        yield
    finally:
        sys.path.remove(name)
        if name not in sys.path:
            sys.path.append(name)
