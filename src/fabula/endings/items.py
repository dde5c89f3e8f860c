"""An ending item: a context, several endings, and which of them is right."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fabula.errors import UsageError
from fabula.task import View

__all__ = [
    "Ending",
    "EndingModel",
    "Scores",
    "check",
    "present",
    "with_gold",
]

Scores = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """A story and its possible endings. ``gold`` (from 0) is None when a model sees it."""

    id: str
    context: tuple[str, ...]
    options: tuple[str, ...]
    gold: int | None = None
    relation: str | None = None

    def to_row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "id": self.id,
            "context": list(self.context),
            "options": list(self.options),
        }
        if self.gold is not None:
            row["gold"] = self.gold
        if self.relation is not None:
            row["relation"] = self.relation
        return row


def with_gold(items: Iterable[Ending], why: str = "cannot be scored") -> list[Ending]:
    """The items, if every one has its answer; a blind one is named.

    >>> with_gold([Ending("a", (), ("x", "y"))], "cannot be trained on")
    Traceback (most recent call last):
    fabula.errors.UsageError: item 'a' has no gold answer; it cannot be trained on
    """
    found = list(items)
    for item in found:
        if item.gold is None:
            raise UsageError(f"item {item.id!r} has no gold answer; it {why}")
    return found


def present(item: Ending, rng: random.Random, options: Mapping[str, Any]) -> View[Ending, Scores]:
    """The item without gold, its options shuffled so that a position is worth nothing."""
    order = list(range(len(item.options)))
    rng.shuffle(order)
    hidden = Ending(
        id=item.id,
        context=item.context,
        options=tuple(item.options[i] for i in order),
        relation=item.relation,
    )

    def restore(scores: Scores) -> Scores:
        back: list[float] = [0.0] * len(order)
        for seen, source in enumerate(order):
            back[source] = scores[seen]
        return tuple(back)

    return View(hidden, restore)


def check(item: Ending, scores: Scores) -> None:
    """An answer is one finite score for each option."""
    if len(scores) != len(item.options):
        raise UsageError(
            f"item {item.id!r} has {len(item.options)} options; the model gave {len(scores)} scores"
        )
    if not all(abs(score) < float("inf") for score in scores):
        raise UsageError(f"item {item.id!r}: a score is not a finite number")


class EndingModel(Protocol):
    """What a model of endings has to have: a number for each option, larger is better."""

    def score(self, items: list[Ending], /) -> Sequence[Sequence[float]]: ...
