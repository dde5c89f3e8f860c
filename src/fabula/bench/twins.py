"""Twins of an item: the same question with something taken away, to see what it was worth.

A task may offer them (``Task.twins``); their answers are stored beside the item's own, so that
metrics over both (``Task.twin_metrics``) can be computed from a stored run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fabula.errors import UnknownName, UsageError
from fabula.task import Task

__all__ = ["KEY", "chosen_metrics", "has_twins", "twins_of", "without_seen"]

KEY = "twins"
Twins = Callable[[Any], Sequence[Any]]


def chosen_metrics(task: Task[Any, Any], names: Iterable[str] | None, twins: bool) -> list[str]:
    """Metric names in the task's own order, whatever order they were asked for in."""
    asked = set(names or ())
    for name in names or ():
        if name not in task.metric_names:
            raise UnknownName(f"{task.name} metric", name, task.metric_names)
        if name in task.twin_metrics and not twins:
            raise UsageError(
                f"this model answers nothing but the items themselves, so {name!r} is unknown"
            )
    offered = task.metric_names if twins else list(task.metrics)
    return [name for name in offered if not asked or name in asked]


def twins_of(task: Task[Any, Any], model: Any, items: Sequence[Any], seed: int) -> Twins | None:
    return None if task.twins is None else task.twins(model, items, seed)


def has_twins(row: str) -> bool:
    """Whether a stored answer has its twins' answers with it."""
    return KEY in json.loads(row)


def without_seen(
    task: Task[Any, Any], model: Any, items: Sequence[Any], name: str, force: bool
) -> list[str]:
    """Notes about items the model was trained on; an error unless it is forced."""
    seen = getattr(model, "seen_", None)
    if not seen or task.marks is None:
        return []
    leaked = [item.id for item in items if any(mark in seen for mark in task.marks(item))]
    if not leaked:
        return []
    found = f"{len(leaked)} of {len(items)} items were seen by {name!r} in training"
    if not force:
        raise UsageError(
            f"{found} ({', '.join(map(repr, leaked[:3]))}{' ...' if len(leaked) > 3 else ''}); "
            "leave them out, or measure nevertheless with --force"
        )
    return [found]
