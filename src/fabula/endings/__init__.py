"""Story endings: does a model know what should happen next?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.endings.adapters import adapt, call
from fabula.endings.api import Choice, choose
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending, EndingModel, Scores, check, present, read_scores
from fabula.endings.leakage import marks
from fabula.endings.metrics import ABLATION_METRICS, METRICS, ablated
from fabula.task import Task

__all__ = ["TASK", "Choice", "Ending", "EndingModel", "choose", "read_endings"]


def _to_row(scores: Scores) -> dict[str, Any]:
    return {"scores": list(scores)}


def _from_row(row: Mapping[str, Any]) -> Scores:
    return tuple(row["scores"])


def _examples() -> list[Ending]:
    return [
        Ending(
            id="umbrella",
            context=("Ida left home without an umbrella.", "Dark clouds gathered over the road."),
            options=("She reached the office soaked.", "She watered the dry garden at noon."),
            gold=0,
        ),
        Ending(
            id="keys",
            context=("Paul locked the door.", "He saw his keys lying inside."),
            options=("He opened the door with his keys.", "He called a locksmith."),
            gold=1,
        ),
    ]


TASK: Task[Ending, Scores] = Task(
    name="endings",
    read=read_endings,
    present=present,
    call=call,
    check=check,
    to_row=_to_row,
    from_row=_from_row,
    metrics=METRICS,
    examples=_examples,
    ablated=ablated,
    ablation_metrics=ABLATION_METRICS,
    differences=frozenset({"context_gain"}),
    marks=marks,
    contract="score(items) -> list[scores of the options]",
    read_answer=read_scores,
    adapt=adapt,
)
