"""Test-set contamination: refuse to evaluate a model on items it was trained on.

``Task.marks`` gives identifying texts of an item; a trained model keeps those of its training
items in ``training_marks_``. A model without that attribute cannot be checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.errors import UsageError
from fabula.task import Task

__all__ = ["SeenItems", "check_unseen"]


class SeenItems(UsageError):
    """Some items were in the training data of the model."""


def check_unseen(
    task: Task[Any, Any], model: Any, items: Sequence[Any], name: str, force: bool
) -> list[str]:
    """Raise if any item was in the training data; with ``force``, return a note instead."""
    training_marks = getattr(model, "training_marks_", None)
    if not training_marks or task.marks is None:
        return []
    seen = [item.id for item in items if any(mark in training_marks for mark in task.marks(item))]
    if not seen:
        return []
    problem = f"{len(seen)} of {len(items)} items were seen by {name!r} in training"
    if not force:
        raise SeenItems(
            f"{problem} ({', '.join(map(repr, seen[:3]))}{' ...' if len(seen) > 3 else ''}); "
            "leave them out, or measure nevertheless with --force"
        )
    return [problem]
