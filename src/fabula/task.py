"""What a task is: its items, what a model may see of them, and how answers are scored.

The evaluator knows only this page. Each task package exports one ``TASK``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Generic, TypeVar

__all__ = ["Score", "Task", "View"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Score:
    """What one item adds to a metric: over many items it is sum(total) / sum(count).

    A mean per text has count 1; a metric pooled over sentences has the number of sentences.
    """

    total: float
    count: float = 1.0


@dataclass(frozen=True, slots=True)
class View(Generic[Item, Answer]):
    """An item as a model may see it, and how to turn its answer back to the item's own order."""

    item: Item
    restore: Callable[[Answer], Answer]


@dataclass(frozen=True, slots=True)
class Task(Generic[Item, Answer]):
    """One of fabula's tasks, as the evaluator sees it.

    ``present`` strips gold and shuffles what must be shuffled, so that no model can profit from
    the order in which an item happens to be stored. ``call`` runs a model on a batch.
    ``to_row`` and ``from_row`` store an answer as plain JSON values. ``score_many``, where a task
    has it, does for many items what ``metrics`` does for one: totals and counts for each name.
    """

    name: str
    read: Callable[[str | PathLike[str]], Iterator[Item]]
    present: Callable[[Item, random.Random, Mapping[str, Any]], View[Item, Answer]]
    call: Callable[[Any, Sequence[Item]], list[Answer]]
    check: Callable[[Item, Answer], None]  # raises UsageError on an answer of the wrong shape
    to_row: Callable[[Answer], dict[str, Any]]
    from_row: Callable[[Mapping[str, Any]], Answer]
    metrics: Mapping[str, Callable[[Item, Answer], Score]]
    examples: Callable[[], list[Item]]  # a few small items with gold, for check_model
    score_many: (
        Callable[[Sequence[Item], Sequence[Answer], Sequence[str]], Mapping[str, tuple[Any, Any]]]
        | None
    ) = None
    # What models learn from, where that is not the items they are tested on.
    training: Callable[[Sequence[str | PathLike[str]]], Any] | None = None
    # The same questions with something taken away, for a model that can be asked them: a function
    # of (model, items, seed) that gives an item's twins, or None; and metrics over item, answer
    # and the twins' answers.
    twins: Callable[[Any, Sequence[Item], int], Callable[[Item], Sequence[Item]] | None] | None = (
        None
    )
    twin_metrics: Mapping[str, Callable[[Item, Answer, Sequence[Answer]], Score]] = field(
        default_factory=dict
    )
    # Keys of an answer's row that none of ``metrics`` reads, left out of stored runs; ``from_row``
    # does without them. A metric registered by others may read them, and then they are stored.
    unread: frozenset[str] = frozenset()
    differences: frozenset[str] = frozenset()  # metrics that are differences, never shares
    # What to know a test item by in a trained model's ``training_marks_`` (``bench.leaks``).
    marks: Callable[[Item], Sequence[str]] | None = None

    @property
    def metric_names(self) -> list[str]:
        """All metrics, those over twins last; the first is the one rankings use."""
        return [*self.metrics, *self.twin_metrics]
