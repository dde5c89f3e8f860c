"""A text whose units (sentences or paragraphs) are to be put in order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fabula.errors import InputError, UsageError
from fabula.ordering.decoding.sequential_beam import Walk
from fabula.task import View
from fabula.text.io.records import Record, read_records

__all__ = ["Order", "OrderingModel", "Text", "call", "check", "present", "read_texts", "repair"]


@dataclass(frozen=True, slots=True)
class Text:
    """Shuffled units; ``[units[g] for g in gold]`` is the right order. A model sees gold None."""

    id: str
    units: tuple[str, ...]
    gold: tuple[int, ...] | None = None

    def to_row(self) -> dict[str, Any]:
        row: dict[str, Any] = {"id": self.id, "units": list(self.units)}
        if self.gold is not None:
            row["gold"] = list(self.gold)
        return row


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """A model's answer: ``order`` as gold is written, and P(unit i stands before unit j).

    ``repaired`` says that the model's own order was no permutation; see ``repair``. ``walk`` is
    what the order was found by, where the model can say, so that rules can be kept the same way.
    """

    order: tuple[int, ...]
    before: NDArray[np.floating]
    repaired: bool = False
    walk: Walk | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Order)
            and self.order == other.order
            and np.array_equal(self.before, other.before)
        )

    def __hash__(self) -> int:
        return hash(self.order)

    @property
    def neighbours(self) -> tuple[float, ...]:
        """For each unit but the last in order, the probability that it stands before the next."""
        pairs = zip(self.order, self.order[1:], strict=False)
        return tuple(float(self.before[one, two]) for one, two in pairs)

    @property
    def confidence(self) -> float:
        """The mean probability that a pair stands as ordered; .5 is no idea, 1 is certain."""
        n = len(self.order)
        if n < 2:
            return 1.0
        placed = self.before[np.ix_(self.order, self.order)]
        return float(placed[np.triu_indices(n, 1)].mean())


def read_texts(path: str | PathLike[str]) -> Iterator[Text]:
    """Ordering items from JSONL or Parquet; a wrong row is an error with its line."""
    for record in read_records(path):
        try:
            yield _text(record)
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InputError(problem, path=path, line=record.line) from error


def _text(record: Record) -> Text:
    units, gold = record.data["units"], record.data.get("gold")
    if not isinstance(units, list) or not units or not all(isinstance(u, str) for u in units):
        raise ValueError("'units' must be a list of at least one string")
    if gold is not None and not _is_permutation(gold, len(units)):
        raise ValueError(f"'gold' must name each of the {len(units)} units once, from 0")
    identifier = record.data.get("id")
    return Text(
        id=str(record.line if identifier is None else identifier),
        units=tuple(units),
        gold=tuple(gold) if gold is not None else None,
    )


def _is_permutation(values: Any, n: int) -> bool:
    return (
        isinstance(values, list)
        and all(type(value) is int for value in values)
        and sorted(values) == list(range(n))
    )


def present(text: Text, rng: random.Random, options: Mapping[str, Any]) -> View[Text, Order]:
    """The text without gold, shuffled afresh: no model may live on the stored order."""
    shuffled = list(range(len(text.units)))
    rng.shuffle(shuffled)
    hidden = Text(id=text.id, units=tuple(text.units[i] for i in shuffled))

    def restore(order: Order) -> Order:
        back = np.argsort(shuffled)
        return replace(
            order,
            order=tuple(shuffled[i] for i in order.order),
            before=order.before[np.ix_(back, back)],
            walk=None,
        )

    return View(hidden, restore)


def check(text: Text, order: Order) -> None:
    """An answer is a permutation of the units with an n x n matrix of probabilities."""
    n = len(text.units)
    if sorted(order.order) != list(range(n)):
        raise UsageError(f"text {text.id!r}: the order is not a permutation of 0..{n - 1}")
    if order.before.shape != (n, n):
        raise UsageError(f"text {text.id!r}: pair matrix is {order.before.shape}, not {(n, n)}")
    if order.walk is not None and order.walk.pull.shape != (n, n):
        raise UsageError(f"text {text.id!r}: its walk is of {len(order.walk.pull)} units, not {n}")
    if not ((order.before > -1e-4) & (order.before < 1 + 1e-4)).all():
        raise UsageError(f"text {text.id!r}: a pair's probability is not between 0 and 1")


class OrderingModel(Protocol):
    """What a model of ordering has to have."""

    def order(self, texts: list[Text], /) -> Sequence[Order]: ...


def call(model: OrderingModel, texts: Sequence[Text]) -> list[Order]:
    """Ask a model; what is no permutation is repaired, and marked so that it can be counted."""
    answers = list(model.order(list(texts)))
    if len(answers) != len(texts):
        return answers  # the caller knows what to say
    return [repair(answer, len(text.units)) for answer, text in zip(answers, texts, strict=True)]


def repair(answer: Order, n: int) -> Order:
    """An order of all n units: what is named twice or does not exist goes, the rest is appended.

    >>> repair(Order((2, 0, 2, 7), np.full((3, 3), 0.5, dtype=np.float32)), 3).order
    (2, 0, 1)
    """
    if sorted(answer.order) == list(range(n)):
        return answer
    kept = dict.fromkeys(unit for unit in answer.order if 0 <= unit < n)
    whole = (*kept, *(unit for unit in range(n) if unit not in kept))
    return replace(answer, order=whole, repaired=True)
