"""Evaluate a model: present items, get and check answers, score, store the run."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fabula.bench.ablated_items import KEY, ablated_of
from fabula.bench.adapters import Unshuffled
from fabula.bench.contamination import check_unseen
from fabula.bench.runs.fingerprints import (
    fingerprint_items,
    model_name,
    model_parameters,
    model_weights,
)
from fabula.bench.runs.identity import model_identity
from fabula.bench.runs.machine import machine, peak_memory_mb, versions
from fabula.bench.runs.partial import PartialAnswers
from fabula.bench.runs.source_code import package_source
from fabula.bench.runs.store import Run, load_run, save_run
from fabula.bench.scoring import chosen_metrics, estimates, score_items, with_metrics
from fabula.core.cell_store import cell_name
from fabula.core.files import make_folder
from fabula.core.progress import track
from fabula.errors import InputError, UsageError
from fabula.registry import create_model, tasks
from fabula.task import Task
from fabula.text.io.records import items_of

__all__ = ["evaluate"]

_log = logging.getLogger("fabula.bench")


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

    ``items`` is a file, items, or rows: dicts, a ``datasets.Dataset``, a pandas frame.

    What the model sees of an item depends on ``seed`` and the item's id alone, so neither the
    batch size nor an interruption changes a result.

    With ``folder``, the run is stored in a subfolder. An interrupted evaluation resumes; a finished
    one is read back, which a note of the run says, and only metrics it lacks are computed, from its
    stored answers. A run is known by the model's code, parameters and weights (``runs.identity``),
    never by its name alone. ``force`` measures again, and measures on items the model was trained
    on, which is an error otherwise.
    """
    if batch < 1:
        raise UsageError(f"batch must be at least 1, not {batch}")
    task = tasks.get(task) if isinstance(task, str) else task
    built_in = {*task.metrics, *task.ablation_metrics}
    task = with_metrics(task)
    path = str(items) if isinstance(items, str | PathLike) else None
    items = _checked(items_of(items, task.read) if path is None else task.read(path), path)
    if task.measurable is not None:
        known = {*task.measurable(items), *(set(task.metrics) - built_in)}
        task = replace(task, metrics={n: m for n, m in task.metrics.items() if n in known})
    name = name or model_name(model)
    model = task.as_model(create_model(task.name, model))
    ablated = ablated_of(task, model, items, seed)
    wanted = chosen_metrics(task, metrics, ablated is not None)
    notes = [*notes, *check_unseen(task, model, items, name, force)]
    data = {"fingerprint": fingerprint_items(items), "path": path, "items": len(items)}
    identity: dict[str, Any] = {
        "task": task.name,
        "model": name,
        "parameters": model_parameters(model),
        "weights": model_weights(model),
        "code": None if folder is None else model_identity(model),
        "seed": seed,
        "options": dict(options or {}),
    }
    run_folder = None if folder is None else _run_folder(Path(folder), identity, data)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    kept = PartialAnswers(None if run_folder is None else run_folder / "partial.jsonl")
    timing: Mapping[str, Any] | None = None
    if force:
        kept.discard()
    elif run_folder is not None and (run_folder / "run.json").exists():
        finished = load_run(run_folder)
        said = (
            f"read back: measured {finished.timing['started']}, stored in {run_folder}; "
            "--force (force=True) measures again"
        )
        _log.info("%s: %s", name, said)
        if set(wanted) <= set(finished.metrics):
            return replace(finished, notes=(*finished.notes, said))
        wanted = chosen_metrics(
            task, {*wanted, *(set(finished.metrics) & set(task.metric_names))}, ablated is not None
        )
        # Metrics of a package that is no longer installed; the stored answers are kept.
        notes += [
            f"the metric {metric!r} of an earlier run is left out: nothing has that name now"
            for metric in finished.metrics
            if metric not in task.metric_names
        ]
        notes.append(said)
        timing = finished.timing
        kept.answers = dict(zip(finished.items.ids, finished.items.answers, strict=True))
    if not set(wanted) & set(task.ablation_metrics):
        ablated = None
    unread = task.unread if set(wanted) <= built_in else frozenset()
    needed = {*(task.unread - unread), *([KEY] if ablated else [])}
    if needed and not all(needed <= json.loads(row).keys() for row in kept.answers.values()):
        kept.discard()  # stored answers lack fields these metrics need
        timing = None

    pending = [item for item in items if item.id not in kept.answers]
    batches = [pending[start : start + batch] for start in range(0, len(pending), batch)]
    for batch_items in track(batches, f"evaluate {name}"):
        clock = time.perf_counter()
        answer_rows = _ask(task, batch_items, model, name, seed, options or {}, ablated)
        rows = [{key: row[key] for key in row if key not in unread} for row in answer_rows]
        kept.add([item.id for item in batch_items], rows, time.perf_counter() - clock)

    try:
        results = score_items(task, items, kept.answers, wanted)
    except UsageError as error:  # an item that cannot be scored, such as one without its answer
        raise InputError(str(error), path=path) from error
    unscored = len(items) - int(np.any(list(results.counts.values()), axis=0).sum())
    if unscored:
        notes.append(f"{unscored} of the {len(items)} items cannot be scored and take no part")
    run = Run(
        **identity,
        metrics=estimates(results, seed, task.differences, partial=task.partial),
        data=data,
        versions=versions(),
        machine=machine(),
        timing=timing or _timing(started, kept.seconds, len(items)),
        notes=tuple(notes),
        items=results,
    )
    if run_folder is not None:
        run = save_run(run, run_folder)
        kept.discard()
    return run


def _ask(
    task: Task[Any, Any],
    items: Sequence[Any],
    model: Any,
    name: str,
    seed: int,
    options: Mapping[str, Any],
    ablated: Callable[[Any], Sequence[Any]] | None = None,
) -> Iterator[dict[str, Any]]:
    """The model's checked answers to one batch as rows, with those to the ablated items.

    An ablated item has its item's seed, so its parts are shown in the same order.
    """
    rows = _answers(task, items, model, name, seed, options)
    if ablated is None:
        yield from rows
        return
    ablated_by_item = [ablated(item) for item in items]
    ablated_rows = _answers(
        task,
        [copy for item_ablated in ablated_by_item for copy in item_ablated],
        model,
        name,
        seed,
        options,
    )
    for row, item_ablated in zip(rows, ablated_by_item, strict=True):
        yield {**row, KEY: [next(ablated_rows) for _ in item_ablated]}


def _answers(
    task: Task[Any, Any],
    items: Sequence[Any],
    model: Any,
    name: str,
    seed: int,
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    # Text seeds go through SHA-512: the same on every machine and in every process.
    rng = Unshuffled if getattr(model, "as_stored", False) else random.Random
    views = [task.present(item, rng(f"{seed}:{item.id}"), options) for item in items]
    answers = task.call(model, [view.item for view in views])
    n_answers = len(answers) if hasattr(answers, "__len__") else None
    if n_answers != len(views):
        what = f"a {type(answers).__name__}" if n_answers is None else f"{n_answers} answers"
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
    """The items as a list; raises if it is empty or ids are missing or repeated."""
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
    """The run's folder, named by task, model and a hash of everything the result depends on.

    fabula's own code is part of it: a new version may answer or score differently.
    """
    key = {**identity, "data": data["fingerprint"], "package": package_source()}
    return make_folder(folder / cell_name(f"{identity['task']}-{identity['model']}", key))


def _timing(started: str, seconds: float, items: int) -> dict[str, Any]:
    """Timing record; ``seconds`` are those spent in the model, over all resumed parts."""
    return {
        "started": started,
        "seconds": round(seconds, 3),
        "items_per_second": round(items / seconds, 1) if seconds else None,
        "peak_memory_mb": peak_memory_mb(),
    }
