"""Twins of an item: ablated copies with part of the input removed, to measure its effect.

``Task.twins`` makes them; their answers are stored with the item's own, so that metrics over both
(``Task.twin_metrics``) can be computed from a stored run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fabula.task import Task

__all__ = ["KEY", "twins_of"]

KEY = "twins"
Twins = Callable[[Any], Sequence[Any]]


def twins_of(task: Task[Any, Any], model: Any, items: Sequence[Any], seed: int) -> Twins | None:
    """The function from an item to its twins; None if the task or the model has none."""
    return None if task.twins is None else task.twins(model, items, seed)
