"""Twins of an item: the same question with something taken away, to see what it was worth.

A task may offer them (``Task.twins``); their answers are stored beside the item's own, so that
metrics over both (``Task.twin_metrics``) can be computed from a stored run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fabula.task import Task

__all__ = ["KEY", "twins_of"]

KEY = "twins"
Twins = Callable[[Any], Sequence[Any]]


def twins_of(task: Task[Any, Any], model: Any, items: Sequence[Any], seed: int) -> Twins | None:
    """What gives an item's twins; None for a task without, or a model that cannot be asked."""
    return None if task.twins is None else task.twins(model, items, seed)
