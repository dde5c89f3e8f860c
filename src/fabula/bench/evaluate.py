"""Measure a model: present items, ask, check, restore, score, and keep everything."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import fabula
from fabula.bench.ablated_items import KEY, twins_of
from fabula.bench.contamination import check_unseen
from fabula.bench.runs.fingerprints import (
    fingerprint_items,
    model_name,
    model_parameters,
    model_weights,
)
from fabula.bench.runs.machine import machine, peak_memory_mb, versions
from fabula.bench.runs.partial import PartialAnswers
from fabula.bench.runs.store import Run, load_run, save_run
from fabula.bench.scoring import chosen_metrics, estimates, score_items, with_metrics
from fabula.core.cell_store import cell_name
from fabula.core.files import make_folder
from fabula.core.progress import track
from fabula.errors import InputError, UsageError
from fabula.registry import create_model, tasks
from fabula.task import Task

__all__ = ["evaluate"]


def evaluate(
    task: str | Task[Any, Any],
    items: str | PathLike[str] | Iterable[Any],
    model: Any,
    *,
    name: str | None = None,
    folder: str | PathLike[str] | None = None,
    seed: int = 0,
    batch: int = 64,
    options: Mapping[str, Any] | None = None,
    metrics: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    force: bool = False,
) -> Run:
    """Measure ``model`` (an object, or a name as the command line takes it) on ``items``.

    What the model sees of an item depends on ``seed`` and the item's id alone, so neither the
    batch size nor an interruption changes a result.

    With ``folder``, the run is kept in a folder of its own below it. An interrupted evaluation
    goes on where it stopped; a finished one is read back, and only metrics it lacks are computed,
    from its stored answers. ``force`` measures again, for a model whose code has changed, and
    measures on items the model was trained on, which is an error otherwise.
    """
    if batch < 1:
        raise UsageError(f"batch must be at least 1, not {batch}")
    task = tasks.get(task) if isinstance(task, str) else task
    built_in = {*task.metrics, *task.twin_metrics}
    task = with_metrics(task)
    path = str(items) if isinstance(items, str | PathLike) else None
    items = _checked(items if path is None else task.read(path), path)
    name = name or model_name(model)
    model = create_model(task.name, model)
    twins = twins_of(task, model, items, seed)
    wanted = chosen_metrics(task, metrics, twins is not None)
    notes = [*notes, *check_unseen(task, model, items, name, force)]
    data = {"fingerprint": fingerprint_items(items), "path": path, "items": len(items)}
    identity: dict[str, Any] = {
        "task": task.name,
        "model": name,
        "parameters": model_parameters(model),
        "weights": model_weights(model),
        "seed": seed,
        "options": dict(options or {}),
    }
    place = None if folder is None else _run_folder(Path(folder), identity, data)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    kept = PartialAnswers(None if place is None else place / "partial.jsonl")
    timing: Mapping[str, Any] | None = None
    if force:
        kept.discard()
    elif place is not None and (place / "run.json").exists():
        finished = load_run(place)
        if set(wanted) <= set(finished.metrics):
            return finished
        wanted = chosen_metrics(
            task, {*wanted, *(set(finished.metrics) & set(task.metric_names))}, twins is not None
        )
        # Of a package that is not installed now; its answers are kept, so nothing is lost.
        notes += [
            f"the metric {metric!r} of an earlier run is left out: nothing has that name now"
            for metric in finished.metrics
            if metric not in task.metric_names
        ]
        timing = finished.timing
        kept.answers = dict(zip(finished.items.ids, finished.items.answers, strict=True))
    if not set(wanted) & set(task.twin_metrics):
        twins = None
    unread = task.unread if set(wanted) <= built_in else frozenset()
    needed = {*(task.unread - unread), *([KEY] if twins else [])}
    if needed and not all(needed <= json.loads(row).keys() for row in kept.answers.values()):
        kept.discard()  # answers from before these metrics were wanted
        timing = None

    pending = [item for item in items if item.id not in kept.answers]
    batches = [pending[at : at + batch] for at in range(0, len(pending), batch)]
    for some in track(batches, f"evaluate {name}"):
        clock = time.perf_counter()
        full = _ask(task, some, model, name, seed, options or {}, twins)
        rows = [{key: row[key] for key in row if key not in unread} for row in full]
        kept.add([item.id for item in some], rows, time.perf_counter() - clock)

    try:
        results = score_items(task, items, kept.answers, wanted)
    except UsageError as error:  # an item that cannot be scored, such as one without its answer
        raise InputError(str(error), path=path) from error
    silent = len(items) - int(np.any(list(results.counts.values()), axis=0).sum())
    if silent:
        notes.append(f"{silent} of the {len(items)} items cannot be scored and take no part")
    run = Run(
        **identity,
        metrics=estimates(results, seed, task.differences),
        data=data,
        versions=versions(),
        machine=machine(),
        timing=timing or _timing(started, kept.seconds, len(items)),
        notes=tuple(notes),
        items=results,
    )
    if place is not None:
        run = save_run(run, place)
        kept.discard()
    return run


def _ask(
    task: Task[Any, Any],
    items: Sequence[Any],
    model: Any,
    name: str,
    seed: int,
    options: Mapping[str, Any],
    twins: Callable[[Any], Sequence[Any]] | None = None,
) -> Iterator[dict[str, Any]]:
    """The model's answers to one batch, checked, each in its item's own order, as rows.

    A twin is shown as its item is: the same seed puts its parts into the same order.
    """
    rows = _answers(task, items, model, name, seed, options)
    if twins is None:
        yield from rows
        return
    others = [twins(item) for item in items]
    found = _answers(task, [twin for some in others for twin in some], model, name, seed, options)
    for row, some in zip(rows, others, strict=True):
        yield {**row, KEY: [next(found) for _ in some]}


def _answers(
    task: Task[Any, Any],
    items: Sequence[Any],
    model: Any,
    name: str,
    seed: int,
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    # Text seeds go through SHA-512: the same on every machine and in every process.
    views = [task.present(item, random.Random(f"{seed}:{item.id}"), options) for item in items]
    answers = task.call(model, [view.item for view in views])
    came = len(answers) if hasattr(answers, "__len__") else None
    if came != len(views):
        what = f"a {type(answers).__name__}" if came is None else f"{came} answers"
        raise UsageError(
            f"model {name!r} gave {what} for {len(views)} {task.name} items; "
            "a model gives a list with one answer per item, in the items' order"
        )
    for item, view, answer in zip(items, views, answers, strict=True):
        try:
            task.check(view.item, answer)
        except UsageError as error:
            raise UsageError(f"model {name!r} on item {item.id!r}: {error}") from error
        yield task.to_row(view.restore(answer))


def _checked(given: Any, path: str | None) -> list[Any]:
    """The items, if there are any and each has an id of its own."""
    items = list(given)
    if not items:
        raise InputError("there are no items to evaluate on", path=path)
    seen = set()
    for number, item in enumerate(items, 1):
        identifier = getattr(item, "id", None)
        if not isinstance(identifier, str):
            raise InputError(f"item {number} has no text 'id' (it is {identifier!r})", path=path)
        if identifier in seen:
            raise InputError(
                f"item {number} has the id {identifier!r}, which an earlier item has; "
                "answers are kept by id, so ids must differ",
                path=path,
            )
        seen.add(identifier)
    return items


def _run_folder(folder: Path, identity: Mapping[str, Any], data: Mapping[str, Any]) -> Path:
    """The run's own folder, named by its task, its model and a hash of all it depends on.

    fabula's version is part of it: a new version may answer or score differently.
    """
    key = {**identity, "data": data["fingerprint"], "version": fabula.__version__}
    return make_folder(folder / cell_name(f"{identity['task']}-{identity['model']}", key))


def _timing(started: str, seconds: float, items: int) -> dict[str, Any]:
    """The seconds spent asking the model, over all sittings."""
    return {
        "started": started,
        "seconds": round(seconds, 3),
        "items_per_second": round(items / seconds, 1) if seconds else None,
        "peak_memory_mb": peak_memory_mb(),
    }
