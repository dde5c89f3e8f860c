"""Story salads: mixed sentences of several documents, and picking them apart again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.salads.api import Untangled, untangle
from fabula.salads.items import (
    Grouping,
    Salad,
    SaladModel,
    call,
    check,
    present,
    read_grouping,
    read_salads,
)
from fabula.salads.metrics import METRICS
from fabula.task import Task

__all__ = ["TASK", "Grouping", "Salad", "SaladModel", "Untangled", "read_salads", "untangle"]


def _to_row(grouping: Grouping) -> dict[str, Any]:
    return {"labels": list(grouping.labels), "probabilities": list(grouping.probabilities)}


def _from_row(row: Mapping[str, Any]) -> Grouping:
    return Grouping(tuple(row["labels"]), tuple(row["probabilities"]))


def _examples() -> list[Salad]:
    return [
        Salad(
            id="ferry-and-bakery",
            sentences=(
                "The ferry left the harbour in thick fog.",
                "Flour dust hung in the bakery at dawn.",
                "The captain of the ferry sounded the horn.",
                "The baker pulled the loaves from the oven.",
                "A small boat drifted across the ferry's bow.",
                "Fresh bread cooled on the bakery counter.",
            ),
            labels=(0, 1, 0, 1, 0, 1),
            stories=2,
        ),
        Salad(
            id="trial-and-match",
            sentences=(
                "The judge called the first witness.",
                "The striker scored before half time.",
                "The witness contradicted the accused.",
                "The visiting team equalised with a penalty.",
            ),
            labels=(0, 1, 0, 1),
            stories=2,
        ),
    ]


TASK: Task[Salad, Grouping] = Task(
    name="salads",
    read=read_salads,
    present=present,
    call=call,
    check=check,
    to_row=_to_row,
    from_row=_from_row,
    metrics=METRICS,
    examples=_examples,
    contract="group(salads) -> list[Grouping]",
    read_answer=read_grouping,
)
