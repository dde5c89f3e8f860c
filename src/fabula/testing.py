"""Check your own model or reader against fabula's contracts; no pytest needed.

    from fabula.testing import check_model
    check_model("endings", MyModel())

Each check raises ``CheckFailed`` with one sentence that names what failed.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.bench.runs.fingerprints import model_name
from fabula.core.files import canonical
from fabula.errors import CheckFailed, UsageError
from fabula.registry import create_model, tasks
from fabula.task import Task
from fabula.types import Document

__all__ = ["check_model", "check_reader"]

_SAFE = {".json", ".safetensors"}
_CLOSE = 1e-5  # arithmetic in batches of another size may round differently, not more


def check_model(task: str | Task[Any, Any], model: Any, items: Sequence[Any] | None = None) -> None:
    """Check a model (an object or a name) on the task's examples, or on ``items`` with gold.

    A trainable model is trained here, on these few items: hand over a fresh one, not your best.
    """
    task = tasks.get(task) if isinstance(task, str) else task
    model = create_model(task.name, model)
    items = list(task.examples() if items is None else items)
    trainable = all(callable(getattr(model, verb, None)) for verb in ("fit", "save", "load"))
    if trainable:
        model.fit(items, items)
    views = [task.present(item, random.Random(f"0:{item.id}"), {}).item for item in items]
    rows = _answer_safely(task, model, views)
    _check_alone(task, model, views, rows)
    if trainable:
        _check_marks(task, model)
        _check_saving(task, model, views, rows)


def check_reader(
    reader: Callable[[str | PathLike[str]], Iterable[Document]], path: str | PathLike[str]
) -> None:
    """Check that a reader yields well-formed documents, and the same ones each time."""
    documents = list(reader(path))
    _require(bool(documents), f"the reader found no document in {path}")
    seen = set()
    for number, document in enumerate(documents, 1):
        what = f"document {number} of {path}"
        _require(isinstance(document, Document), f"{what} is a {type(document).__name__}")
        _require(
            isinstance(document.id, str) and document.id != "",
            f"{what} has the id {document.id!r}, which is not a text",
        )
        _require(document.id not in seen, f"{what} repeats the id {document.id!r}")
        seen.add(document.id)
        _require(bool(document.paragraphs), f"{what} has no paragraphs")
        for paragraph in document.paragraphs:
            _require(
                isinstance(paragraph, str) and paragraph.strip() != "",
                f"{what} has an empty paragraph or one that is not text: {paragraph!r}",
            )
        _require(
            not document.lines or len(document.lines) == len(document.paragraphs),
            f"{what} has {len(document.lines)} line numbers "
            f"for {len(document.paragraphs)} paragraphs",
        )
        _require(
            list(document.lines) == sorted(document.lines) and min(document.lines, default=1) >= 1,
            f"{what} has line numbers that do not rise from 1: {document.lines}",
        )
    _require(documents == list(reader(path)), f"two readings of {path} differ")


def _answer_safely(task: Task[Any, Any], model: Any, views: Sequence[Any]) -> list[Any]:
    """The model's answers as rows: well-formed, repeatable, and the input left alone."""
    name = model_name(model)
    before = [canonical(view) for view in views]
    answers = task.call(model, views)
    _require(isinstance(answers, list), f"{name} gave a {type(answers).__name__}, not a list")
    _require(
        len(answers) == len(views), f"{name} gave {len(answers)} answers for {len(views)} items"
    )
    _require(
        before == [canonical(view) for view in views], f"{name} changed the items it was given"
    )
    for view, answer in zip(views, answers, strict=True):
        try:
            task.check(view, answer)
        except UsageError as error:
            raise CheckFailed(f"{name} gave a bad answer to item {view.id!r}: {error}") from error
    rows = [task.to_row(answer) for answer in answers]
    again = [task.to_row(answer) for answer in task.call(model, views)]
    for view, row, other in zip(views, rows, again, strict=True):
        _require(
            canonical(row) == canonical(other),
            f"{name} gave two different answers to item {view.id!r}, asked the same twice",
        )
        _require(
            canonical(task.to_row(task.from_row(row))) == canonical(row),
            f"the answer of {name} to item {view.id!r} does not survive to_row and from_row",
        )
    return rows


def _check_alone(
    task: Task[Any, Any], model: Any, views: Sequence[Any], rows: Sequence[Any]
) -> None:
    """No answer may depend on its neighbours in the batch: neither on who, nor where, nor if."""
    name = model_name(model)
    empty = task.call(model, [])
    _require(empty == [], f"{name} gave {empty!r} for an empty batch, not an empty list")
    backwards = list(reversed(task.call(model, list(reversed(views)))))
    for view, row, turned in zip(views, rows, backwards, strict=True):
        alone = task.call(model, [view])
        for how, other in (("alone", alone[0]), ("in a batch turned round", turned)):
            _require(
                _close(row, task.to_row(other)),
                f"{name} answers item {view.id!r} differently {how}: "
                "an answer must not depend on the other items in the batch",
            )


def _check_marks(task: Task[Any, Any], model: Any) -> None:
    """``training_marks_`` has a meaning: the evaluator refuses items with one of these marks."""
    marks = getattr(model, "training_marks_", None)
    if marks is None or task.marks is None:
        return
    _require(
        isinstance(marks, set | frozenset) and all(isinstance(mark, str) for mark in marks),
        f"{model_name(model)} has an attribute training_marks_ that is no set of text: it is for "
        f"the marks of what was learnt from, as the task {task.name!r} makes them (Task.marks)",
    )


def _check_saving(
    task: Task[Any, Any], model: Any, views: Sequence[Any], rows: Sequence[Any]
) -> None:
    """What is saved is data, not code, and it is the whole model."""
    name = model_name(model)
    with tempfile.TemporaryDirectory(prefix="fabula-") as folder:
        model.save(Path(folder))
        written = [path for path in Path(folder).rglob("*") if path.is_file()]
        _require(bool(written), f"{name} saved no file")
        for path in written:
            _require(
                path.suffix in _SAFE,
                f"{name} saved {path.name}: only .json and .safetensors files can be loaded "
                "without running code",
            )
        loaded = type(model).load(Path(folder))
        for view, row, answer in zip(views, rows, task.call(loaded, views), strict=True):
            _require(
                canonical(row) == canonical(task.to_row(answer)),
                f"{name} answers item {view.id!r} differently after save and load",
            )


def _close(one: Any, other: Any) -> bool:
    """Equal, but for the rounding of floats."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        both_missing = math.isnan(one) and math.isnan(other)
        return both_missing or math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return bool(one == other)


def _require(met: bool, otherwise: str) -> None:
    if not met:
        raise CheckFailed(otherwise)
