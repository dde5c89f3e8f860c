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
    "read_scores",
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


def read_scores(item: Ending, value: Any) -> Scores:
    """Scores from a list, or from a row with ``scores``, or with a choice among the options.

    ``choice`` and ``gold`` count from 0, or are an option's text; ``AnswerRightEnding`` of a Story
    Cloze submission counts from 1. A row that names its ``options`` may have them in any order.

    >>> read_scores(Ending("a", (), ("x", "y")), {"choice": "y"})
    (0.0, 1.0)
    """
    row = value if isinstance(value, Mapping) else None
    options = [option.strip() for option in item.options]
    named = [str(option).strip() for option in (row or {}).get("options") or options]
    if sorted(named) != sorted(options):
        raise ValueError("its options are not those of the item")
    if row is None:
        scores = [float(score) for score in value] if not isinstance(value, str | int) else None
        scores = _chosen(value, named) if scores is None else scores
    elif row.get("scores") is not None:
        scores = [float(score) for score in row["scores"]]
    else:
        choices = {key: row[key] for key in ("choice", "gold") if row.get(key) is not None}
        if row.get("AnswerRightEnding") is not None:
            choices.setdefault("choice", int(row["AnswerRightEnding"]) - 1)
        if not choices:
            raise ValueError("'scores' or 'choice' is missing")
        scores = _chosen(next(iter(choices.values())), named)
    if named == options or len(scores) != len(named):
        return tuple(scores)
    by_text = dict(zip(named, scores, strict=True))
    return tuple(by_text[option] for option in options)


def _chosen(choice: Any, options: Sequence[str]) -> list[float]:
    """1 for the option chosen, by its text or its place from 0."""
    text = str(choice).strip()
    if text in options:
        place = options.index(text)
    elif text.isdecimal() and int(text) < len(options):
        place = int(text)
    else:
        raise ValueError(f"a choice is 0 to {len(options) - 1} or an option; it is {choice!r}")
    return [float(i == place) for i in range(len(options))]


class EndingModel(Protocol):
    """What a model of endings has to have: a number for each option, larger is better."""

    def score(self, items: list[Ending], /) -> Sequence[Sequence[float]]: ...
