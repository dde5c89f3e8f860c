"""Answers that somebody else's program wrote, as a model: they are looked up, not computed.

The evaluator shows options in an order of its own, so an answer is found by the texts: a row names
its options, or the items they belong to are given beside the file, ``FILE@ITEMS``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending, Scores
from fabula.errors import InputError, UsageError
from fabula.text.io.records import Record, read_records
from fabula.text.io.streams import split_name

__all__ = ["Predictions", "Samples", "from_predictions", "from_samples"]

Found = dict[str, float]  # a score for each option's text


class Predictions:
    """A file of rows with ``id`` and ``scores`` (one an option) or ``choice``.

    ``choice`` is the place of an option from 0, or its text; ``AnswerRightEnding`` of a Story Cloze
    submission, with ``InputStoryid``, counts from 1. ``options`` names the texts, unless ``items``
    is the file that has them.
    """

    without_context = "never"

    def __init__(
        self, path: str | PathLike[str], *, items: str | PathLike[str] | None = None
    ) -> None:
        self.path = path
        self.items = items

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        if not hasattr(self, "answers_"):
            self.answers_ = self._read()
        return [_look_up(self.answers_.get(item.id), item, self.path) for item in items]

    def _read(self) -> dict[str, Found]:
        known = {} if self.items is None else {i.id: i.options for i in read_endings(self.items)}
        found: dict[str, Found] = {}
        submission = split_name(self.path)[1] == ".txt"
        for record in read_records(self.path, kind="csv" if submission else None):
            try:
                name, scores = _prediction(record.data, known)
            except ValueError as error:
                raise InputError(str(error), path=self.path, line=record.line) from error
            if name in found:
                problem = f"a second answer for item {name!r}"
                raise InputError(problem, path=self.path, line=record.line)
            found[name] = scores
        return found


def _prediction(row: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> tuple[str, Found]:
    name = row.get("id", row.get("InputStoryid"))
    if name is None:
        raise ValueError(f"'id' is missing; the columns are: {', '.join(row)}")
    name = str(name)
    options = row.get("options") or known.get(name)
    scores, choice = row.get("scores"), row.get("choice")
    if choice is None and str(row.get("AnswerRightEnding", "")).strip().isdecimal():
        choice = int(row["AnswerRightEnding"]) - 1
    if scores is None and choice is None:
        raise ValueError("'scores' or 'choice' is missing")
    if not isinstance(options, list | tuple):
        if isinstance(choice, str) and not choice.isdecimal():
            return name, {choice.strip(): 1.0}
        raise ValueError("'options' is missing: which text is which? Write it, or give FILE@ITEMS")
    texts = [str(option).strip() for option in options]
    if scores is not None:
        if not isinstance(scores, list) or len(scores) != len(texts):
            raise ValueError(f"'scores' must be a list of {len(texts)} numbers; it is {scores!r}")
        if not all(isinstance(score, int | float) for score in scores):
            raise ValueError(f"'scores' must be numbers; they are {scores!r}")
        return name, dict(zip(texts, map(float, scores), strict=True))
    if isinstance(choice, str) and choice.strip() in texts:
        place = texts.index(choice.strip())
    elif str(choice).isdecimal() and int(str(choice)) < len(texts):
        place = int(str(choice))
    else:
        raise ValueError(f"'choice' must be 0 to {len(texts) - 1} or an option; it is {choice!r}")
    return name, {text: float(at == place) for at, text in enumerate(texts)}


def _look_up(found: Found | None, item: Ending, path: Any) -> Scores:
    if found is None:
        raise UsageError(f"{path} has no answer for item {item.id!r}")
    texts = [option.strip() for option in item.options]
    if not set(found) & set(texts):
        raise UsageError(f"{path}: the answer for item {item.id!r} is about other options")
    least = min(found.values()) - 1.0 if len(found) < len(texts) else 0.0
    return tuple(found.get(text, least) for text in texts)


class Samples:
    """The sample log of lm-evaluation-harness (``samples_TASK_TIME.jsonl``), one row a question.

    ``by`` divides the logged sum of log-probabilities, as ``acc_norm`` does: ``sum``,
    ``per-character`` or ``per-byte``. Items are found by the texts of their options and context.
    """

    without_context = "never"

    def __init__(self, path: str | PathLike[str], *, by: str = "sum") -> None:
        self.path = path
        self.by = by

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        if not hasattr(self, "answers_"):
            self.answers_ = dict(self._read())
        return [_look_up(self.answers_.get(_asked(item)), item, self.path) for item in items]

    def _read(self) -> Iterator[tuple[str, Found]]:
        from fabula.endings.formats.columns import KNOWN

        for record in read_records(self.path):
            doc = record.data.get("doc")
            layout = next((k for k in KNOWN if isinstance(doc, dict) and k.fits(doc)), None)
            if layout is None or not isinstance(doc, dict):
                problem = "not a sample of multiple choice: 'doc' has no context and options"
                raise InputError(problem, path=self.path, line=record.line)
            try:
                item = layout.ending(doc, record.line)
                sums = _sums(record)
                if len(sums) != len(item.options):
                    raise ValueError(f"{len(sums)} answers for {len(item.options)} options")
            except ValueError as error:
                raise InputError(str(error), path=self.path, line=record.line) from error
            yield (
                _asked(item),
                {
                    option.strip(): total / _length(option, self.by)
                    for option, total in zip(item.options, sums, strict=True)
                },
            )


def _sums(record: Record) -> list[float]:
    """The log-probability of each option: ``filtered_resps`` is a list of [number, is greedy]."""
    try:
        return [float(answer[0]) for answer in record.data["filtered_resps"]]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError("'filtered_resps' has no log-probability for each option") from error


def _length(option: str, by: str) -> int:
    return {"sum": 1, "per-character": len(option), "per-byte": len(option.encode())}[by] or 1


def _asked(item: Ending) -> str:
    """What was asked, whatever the order of the options."""
    return "\n".join([" ".join(item.context), *sorted(option.strip() for option in item.options)])


def from_predictions(argument: str) -> Predictions:
    """``FILE`` or ``FILE@ITEMS``"""
    path, _, items = argument.partition("@")
    return Predictions(path, items=items or None)


def from_samples(argument: str) -> Samples:
    """``FILE`` or ``FILE,by=per-character``"""
    path, _, by = argument.partition(",by=")
    if by not in ("", "sum", "per-character", "per-byte"):
        raise UsageError(f"by= takes sum, per-character or per-byte; it is {by!r}")
    return Samples(path, by=by or "sum")
