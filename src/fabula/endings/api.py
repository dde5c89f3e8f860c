"""Choosing endings: the product's own use of a model, and the files it leaves."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from fabula.answer import AnswerList
from fabula.core.files import write_text
from fabula.endings.adapters import call
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending, Scores, check
from fabula.errors import InputError, MissingPart, UsageError
from fabula.registry import create_model
from fabula.text.io.records import items_of, write_records

__all__ = ["BEST", "Choice", "choose", "write_choices", "write_submission"]

_log = logging.getLogger("fabula.endings")
BEST = ("coherence", "joint:minilm", "joint:tfidf")  # by accuracy; the last needs no weights


@dataclass(frozen=True, slots=True)
class Choice:
    """The ending chosen for an item: its place from 0, and every option's score.

    ``tied`` says that another option scored as high; the first of them is chosen. ``model`` is the
    model that chose, as it was named.
    """

    id: str
    choice: int
    options: tuple[str, ...]
    scores: tuple[float, ...]
    tied: bool = False
    model: str = ""

    @property
    def text(self) -> str:
        return self.options[self.choice]

    def to_row(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "choice": self.choice,
            "options": list(self.options),
            "scores": list(self.scores),
        }


def choose(
    items: str | PathLike[str] | Iterable[Any],
    *,
    model: Any = "best",
) -> AnswerList[Choice]:
    """The ending that should come next, for each item.

    ``items`` is a file, items, rows, or pairs of a context and its options. ``model`` is a name as
    the command line takes it, or any object that ``adapters.adapt`` takes; ``best`` needs no
    training data and is the first of ``BEST`` whose parts are installed. Answers are not looked at.

    >>> choose([("He was hungry.", ["He ate.", "He sang."])], model="constant")[0].tied
    True
    """
    if isinstance(items, str | PathLike):
        asked = list(read_endings(items))
        if not asked:
            raise InputError("there are no items to choose endings for", path=items)
    else:
        given = items_of(items, read_endings)
        asked = [_item(item, number) for number, item in enumerate(given, 1)]
    hidden = [Ending(i.id, i.context, i.options, relation=i.relation) for i in asked]
    name, answers = _answers(model, hidden)
    choices = []
    for item, scores in zip(hidden, answers, strict=True):
        check(item, scores)
        best = max(scores)
        place = scores.index(best)
        tied = scores.count(best) > 1
        choices.append(Choice(item.id, place, item.options, scores, tied, name))
    return AnswerList(choices, "choices", columns=("id", "choice", "options", "scores"))


def _answers(model: Any, items: Sequence[Ending]) -> tuple[str, list[Scores]]:
    """The model's name and scores; ``best`` falls back to a model whose parts are installed."""
    specs = BEST if isinstance(model, str) and model == "best" else (model,)
    for spec in specs[:-1]:
        try:
            return spec, call(create_model("endings", spec), items)
        except MissingPart as error:
            _log.warning("the model %r cannot be used, the next best is: %s", spec, error)
    last = specs[-1]
    return last if isinstance(last, str) else "", call(create_model("endings", last), items)


def _item(given: Ending | tuple[Sequence[str] | str, Sequence[str]], number: int) -> Ending:
    if isinstance(given, Ending):
        item = given
    else:
        context, options = given
        sentences = (context,) if isinstance(context, str) else tuple(context)
        item = Ending(str(number), sentences, tuple(options))
    if isinstance(item.options, str) or len(item.options) < 2:
        raise UsageError(f"item {item.id!r} has fewer than two options: {item.options!r}")
    return item


def write_choices(path: str | PathLike[str], choices: Iterable[Choice]) -> None:
    """A predictions file (JSONL or Parquet), as the adapter ``predictions`` reads it."""
    write_records(path, (choice.to_row() for choice in choices))


def write_submission(path: str | PathLike[str], choices: Iterable[Choice]) -> None:
    """What the Story Cloze shared task asks for a blind file: id and answer, from 1."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["InputStoryid", "AnswerRightEnding"])
    writer.writerows([choice.id, choice.choice + 1] for choice in choices)
    write_text(path, text.getvalue())
