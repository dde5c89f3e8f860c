"""What a task is: its items, what a model may see of them, and how answers are scored.

The evaluator knows only this page. Each task package exports one ``TASK``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Generic, TypeVar

from fabula.errors import UsageError

__all__ = ["FunctionModel", "Score", "Task", "View", "read_answers"]

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
    # of (model, items, seed) that gives an item's ablated copies, or None; and metrics over item,
    # answer and the answers to those.
    ablated: (
        Callable[[Any, Sequence[Item], int], Callable[[Item], Sequence[Item]] | None] | None
    ) = None
    ablation_metrics: Mapping[str, Callable[[Item, Answer, Sequence[Answer]], Score]] = field(
        default_factory=dict
    )
    # Keys of an answer's row that none of ``metrics`` reads, left out of stored runs; ``from_row``
    # does without them. A metric registered by others may read them, and then they are stored.
    unread: frozenset[str] = frozenset()
    differences: frozenset[str] = frozenset()  # metrics that are differences, never shares
    partial: bool = False  # items' labels may allow some of the metrics only; others are left out
    # What to know a test item by in a trained model's ``training_marks_`` (``bench.leaks``).
    marks: Callable[[Item], Sequence[str]] | None = None
    # A model's one method, as in "group(salads) -> list[Grouping]"; errors quote it.
    contract: str = ""
    # An answer from a plain value (a row of an answers file, a bare permutation), in the order of
    # the item it is given for; ``from_row`` alone where a task has none. Raises ValueError.
    read_answer: Callable[[Item, Any], Answer] | None = None
    adapt: Callable[[Any], Any] | None = None  # a model from an object that lacks the method
    # Of the metrics those that given items have gold for, where a task has several kinds of items.
    measurable: Callable[[Sequence[Item]], Collection[str]] | None = None

    @property
    def metric_names(self) -> list[str]:
        """All metrics, those over ablated items last; the first is the one rankings use."""
        return [*self.metrics, *self.ablation_metrics]

    def as_model(self, thing: Any) -> Any:
        """``thing`` if it has the contract's method, an instance if it is a class.

        A function is taken for the method itself, unless the task has an ``adapt`` of its own.
        """
        method = self.contract.partition("(")[0]
        if not method:
            return thing
        needs = f"a model of {self.name} has the method {self.contract}"
        if isinstance(thing, type):
            try:
                thing = thing()
            except TypeError as error:
                raise UsageError(f"{needs}; {thing.__name__} cannot be made: {error}") from error
        if callable(getattr(thing, method, None)):
            return thing
        if self.adapt is not None:
            return self.adapt(thing)
        if callable(thing):
            return FunctionModel(thing, method)
        raise UsageError(f"{needs}; a {type(thing).__name__} has none")

    def answer(self, item: Item, value: Any) -> Answer:
        """``value`` as an answer to ``item``; ``UsageError`` if it is none."""

        def from_row(_: Item, row: Any) -> Answer:
            return self.from_row(row) if isinstance(row, Mapping) else row

        (answer,) = read_answers([item], [value], self.read_answer or from_row)
        return answer


def read_answers(
    items: Sequence[Item], values: Any, read: Callable[[Item, Any], Answer]
) -> list[Answer]:
    """The values a model gave as answers to its items; of another number, they stay as they are.

    ``read`` raises ``KeyError``, ``TypeError`` or ``ValueError``; ``UsageError`` names the item.
    """
    values = list(values) if isinstance(values, Iterable) else values
    if not isinstance(values, list) or len(values) != len(items):
        return values  # type: ignore[no-any-return]  # the evaluator reports it
    answers = []
    for item, value in zip(items, values, strict=True):
        try:
            answers.append(read(item, value))
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            name = getattr(item, "id", None)
            raise UsageError(f"the answer to item {name!r}: {problem}") from error
    return answers


class FunctionModel:
    """A function in the place of a contract's method: a batch of items in, their answers out."""

    def __init__(self, function: Callable[..., Any], method: str) -> None:
        self.function = function
        self.method = method
        self.name = getattr(function, "__name__", type(function).__name__)
        setattr(self, method, function)
