"""Items that a model was trained on: measuring it there says nothing, so it is refused.

A task that can tell gives marks of an item (``Task.marks``); a trained model keeps those of what
it learnt from in ``training_marks_``, a set of text. A model without it cannot be checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.errors import UsageError
from fabula.task import Task

__all__ = ["check_unseen"]


def check_unseen(
    task: Task[Any, Any], model: Any, items: Sequence[Any], name: str, force: bool
) -> list[str]:
    """Refuse items the model was trained on; where it is forced, give a note that says so."""
    learnt = getattr(model, "training_marks_", None)
    if not learnt or task.marks is None:
        return []
    seen = [item.id for item in items if any(mark in learnt for mark in task.marks(item))]
    if not seen:
        return []
    found = f"{len(seen)} of {len(items)} items were seen by {name!r} in training"
    if not force:
        raise UsageError(
            f"{found} ({', '.join(map(repr, seen[:3]))}{' ...' if len(seen) > 3 else ''}); "
            "leave them out, or measure nevertheless with --force"
        )
    return [found]
