"""Coreference: who is meant? Pronouns of GAP, and clusters of mentions of CoNLL files."""

from __future__ import annotations

from fabula.coreference.formats.read import read_passages
from fabula.coreference.items import (
    CoreferenceModel,
    Passage,
    Question,
    Resolution,
    call,
    check,
    from_row,
    present,
    to_row,
)
from fabula.coreference.metrics import METRICS, measurable, score_many
from fabula.task import Task

__all__ = ["TASK", "CoreferenceModel", "Passage", "Question", "Resolution", "read_passages"]


def _examples() -> list[Passage]:
    prize = "Ida Holt met Paul Dunn before she won the prize."
    words = "Jon Hale came . He sat down .".split()
    starts = [sum(len(word) + 1 for word in words[:k]) for k in range(len(words))]
    tokens = tuple((at, at + len(word)) for at, word in zip(starts, words, strict=True))
    return [
        Passage(
            "prize",
            prize,
            question=Question((30, 33), ((0, 8), (13, 22)), (True, False)),
        ),
        Passage("chair", " ".join(words), tokens, (0, 4), clusters=(((0, 8), (16, 18)),)),
    ]


TASK: Task[Passage, Resolution] = Task(
    name="coreference",
    read=read_passages,
    present=present,
    call=call,
    partial=True,
    check=check,
    to_row=to_row,
    from_row=from_row,
    metrics=METRICS,
    examples=_examples,
    score_many=score_many,
    measurable=measurable,
    contract="resolve(passages) -> list[Resolution]",
)
