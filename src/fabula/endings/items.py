"""An ending item: a context, several endings, and which of them is right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol

from fabula.errors import InputError, UsageError
from fabula.task import View
from fabula.text.records import Record, read_records

__all__ = ["Ending", "EndingModel", "call", "check", "present", "read_endings"]

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


def read_endings(path: str | PathLike[str]) -> Iterator[Ending]:
    """Items from JSONL or Parquet, or the Story Cloze CSV as it is distributed."""
    for record in read_records(path):
        read = _from_story_cloze if "InputSentence1" in record.data else _from_row
        try:
            yield read(record)
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InputError(problem, path=path, line=record.line) from error


def _from_row(record: Record) -> Ending:
    row = record.data
    context, options = row["context"], row["options"]
    gold, relation = row.get("gold"), row.get("relation")
    for name, values, least in (("context", context, 0), ("options", options, 2)):
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            raise ValueError(f"{name!r} must be a list of strings")
        if len(values) < least:
            raise ValueError(f"{name!r} has {len(values)} entries, at least {least} are needed")
    if gold is not None and (type(gold) is not int or not 0 <= gold < len(options)):
        raise ValueError(f"'gold' must be 0 to {len(options) - 1}; it is {gold!r}")
    if relation not in (None, "cause", "effect"):
        raise ValueError(f"'relation' must be 'cause' or 'effect'; it is {relation!r}")
    return Ending(
        id=str(record.line if row.get("id") is None else row["id"]),
        context=tuple(context),
        options=tuple(options),
        gold=gold,
        relation=relation,
    )


def _from_story_cloze(record: Record) -> Ending:
    row = record.data
    answer = str(row.get("AnswerRightEnding") or "").strip()
    if answer not in ("1", "2", ""):
        raise ValueError(f"'AnswerRightEnding' must be 1 or 2; it is {answer!r}")
    return Ending(
        id=str(row["InputStoryid"]),
        context=tuple(row[f"InputSentence{i}"] for i in range(1, 5)),
        options=(row["RandomFifthSentenceQuiz1"], row["RandomFifthSentenceQuiz2"]),
        gold=int(answer) - 1 if answer else None,
    )


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


def call(model: EndingModel, items: Sequence[Ending]) -> list[Scores]:
    return [tuple(float(score) for score in scores) for scores in model.score(list(items))]
