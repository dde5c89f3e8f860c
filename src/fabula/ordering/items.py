"""A text whose units (sentences or paragraphs) are to be put in order."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fabula.answer import Answer
from fabula.errors import InputError, UsageError
from fabula.task import View, read_answers
from fabula.text.io.records import Record, read_records

__all__ = [
    "Order", "OrderScores", "OrderingModel", "Text", "call", "check", "present",
    "read_order", "read_texts", "repair",
]  # fmt: skip


_log = logging.getLogger("fabula.ordering")


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
class OrderScores:
    """Log-linear scores of an order of n units, beyond pairs: precedence, adjacency, opening.

    ``decoding.sequential_beam`` normalises them step by step; with ``joint`` the whole order is
    normalised over all permutations (``decoding.permutation_marginals``).
    """

    precedence: NDArray[np.floating]  # n x n, antisymmetric: unit i before unit j
    adjacency: NDArray[np.floating]  # n x n: unit j directly after unit i
    first: NDArray[np.floating]  # n: a unit at the very front
    identity: NDArray[np.int64]  # n: units of one number are identical
    joint: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Order(Answer):
    """A model's answer: ``order`` as gold is written, and ``before``, P(unit i before unit j).

    ``repaired`` says that the model's own order was no permutation; see ``repair``. ``scores`` are
    those it decoded, where it has any beyond pairs, so that constraints can be decoded with them.
    ``units`` are what was ordered, as given, where the answer is of ``fabula.order``.
    """

    order: tuple[int, ...]
    before: NDArray[np.floating]
    repaired: bool = False
    scores: OrderScores | None = field(default=None, repr=False)
    units: tuple[str, ...] | None = field(default=None, repr=False)

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
        """For each unit but the last in order, the probability of its pair with the next."""
        pairs = zip(self.order, self.order[1:], strict=False)
        return tuple(float(self.before[i, j]) for i, j in pairs)

    @property
    def confidence(self) -> float:
        """The mean probability of the pairs as ordered: 0.5 is chance, 1 is certain."""
        n = len(self.order)
        if n < 2:
            return 1.0
        placed = self.before[np.ix_(self.order, self.order)]
        return float(placed[np.triu_indices(n, 1)].mean())

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "order": list(self.order),
            "confidence": round(self.confidence, 4),
            "neighbours": [round(p, 4) for p in self.neighbours],
        }
        if self.units is None:
            return row
        return {"units": [self.units[i] for i in self.order], **row}

    def _columns(self) -> Sequence[str]:
        return ("position", "unit", "text", "before_next")

    def _rows(self) -> Iterable[dict[str, Any]]:
        sure_of_next = (*self.neighbours, None)[: len(self.order)]
        for position, (unit, sure) in enumerate(zip(self.order, sure_of_next, strict=True), 1):
            text = {} if self.units is None else {"text": self.units[unit]}
            yield {"position": position, "unit": unit, **text, "before_next": sure}

    def _summary(self) -> str:
        return f"{len(self.order)} units, confidence {self.confidence:.2f}"


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
    """The text without gold, shuffled again: no model may profit from the stored order."""
    shuffled = list(range(len(text.units)))
    rng.shuffle(shuffled)
    hidden = Text(id=text.id, units=tuple(text.units[i] for i in shuffled))

    def restore(order: Order) -> Order:
        back = np.argsort(shuffled)
        return replace(
            order,
            order=tuple(shuffled[i] for i in order.order),
            before=order.before[np.ix_(back, back)],
            scores=None,
        )

    return View(hidden, restore)


def check(text: Text, order: Order) -> None:
    """An answer is a permutation of the units with an n x n matrix of probabilities."""
    n = len(text.units)
    if sorted(order.order) != list(range(n)):
        raise UsageError(f"text {text.id!r}: the order is not a permutation of 0..{n - 1}")
    if order.before.shape != (n, n):
        raise UsageError(f"text {text.id!r}: pair matrix is {order.before.shape}, not {(n, n)}")
    if order.scores is not None and order.scores.precedence.shape != (n, n):
        units = len(order.scores.precedence)
        raise UsageError(f"text {text.id!r}: its scores are of {units} units, not {n}")
    if not ((order.before > -1e-4) & (order.before < 1 + 1e-4)).all():
        raise UsageError(f"text {text.id!r}: a pair's probability is not between 0 and 1")


class OrderingModel(Protocol):
    """Protocol of an ordering model: texts in, an order of each out."""

    def order(self, texts: list[Text], /) -> Sequence[Order]: ...


def read_order(text: Text, value: Any) -> Order:
    """An order from a bare permutation or a row with ``order`` (or ``gold``) and ``before``.

    A permutation alone says nothing about single pairs, so all of them are certain.

    >>> read_order(Text("a", ("x", "y")), [1, 0]).before.tolist()
    [[0.5, 0.0], [1.0, 0.5]]
    """
    n = len(text.units)
    if isinstance(value, Order):
        return repair(value, n)
    row = value if isinstance(value, Mapping) else {"order": value}
    given = row["gold" if "gold" in row and "order" not in row else "order"]
    if isinstance(given, str | bytes) or not all(isinstance(i, int | np.integer) for i in given):
        raise ValueError(f"an order is a list of the units' numbers from 0; it is {given!r}")
    answer = repair(Order(tuple(map(int, given)), np.full((n, n), 0.5, dtype=np.float32)), n)
    if row.get("before") is not None:
        before = np.asarray(row["before"], dtype=np.float32)
    else:
        position = np.argsort(answer.order)
        before = np.heaviside(position[None, :] - position[:, None], 0.5).astype(np.float32)
    return replace(answer, before=before)


def call(model: OrderingModel, texts: Sequence[Text]) -> list[Order]:
    """The answers of a model; a permutation will do, and what is none is repaired and marked."""
    return read_answers(texts, model.order(list(texts)), read_order)


def repair(answer: Order, n: int) -> Order:
    """An order of all n units: what is named twice or does not exist goes, the rest is appended.

    >>> repair(Order((2, 0, 2, 7), np.full((3, 3), 0.5, dtype=np.float32)), 3).order
    (2, 0, 1)
    """
    if sorted(answer.order) == list(range(n)):
        return answer
    _log.info("an order of %d units is no permutation; it is repaired", n)
    kept = dict.fromkeys(unit for unit in answer.order if 0 <= unit < n)
    whole = (*kept, *(unit for unit in range(n) if unit not in kept))
    return replace(answer, order=whole, repaired=True)
