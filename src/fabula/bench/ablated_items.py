"""Ablation: items in, copies without part of their input out, to measure what that part is worth.

``Task.ablated`` makes them; their answers are stored with the item's own, so that metrics over both
(``Task.ablation_metrics``) can be computed from a stored run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fabula.task import Task

__all__ = ["KEY", "ablated_of"]

KEY = "twins"
Ablate = Callable[[Any], Sequence[Any]]


def ablated_of(task: Task[Any, Any], model: Any, items: Sequence[Any], seed: int) -> Ablate | None:
    """The function from an item to its ablated copies; None if the task or the model has none."""
    return None if task.ablated is None else task.ablated(model, items, seed)
