"""Pairs: do two sentences speak of one event, and do they contradict?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.pairs.adapters import adapt, call
from fabula.pairs.api import relate
from fabula.pairs.items import (
    Pair,
    PairModel,
    Relation,
    check,
    present,
    read_pairs,
    read_relation,
)
from fabula.pairs.metrics import ABLATION_METRICS, METRICS, ablated, score_many
from fabula.task import Task

__all__ = ["TASK", "Pair", "PairModel", "Relation", "read_pairs", "relate"]


def _to_row(relation: Relation) -> dict[str, Any]:
    return relation._asdict()


def _from_row(row: Mapping[str, Any]) -> Relation:
    return Relation(*(row[name] for name in Relation._fields))


def _examples() -> list[Pair]:
    return [
        Pair("ferry", "Nine died on the ferry.", "Two died on the ferry.", "contradiction", True),
        Pair("mill", "The mill burned down.", "Fire destroyed the mill.", "entailment", True),
        Pair("boy", "A boy is asleep.", "The boy is at school.", "neutral", False),
        Pair("rain", "It rained all day.", "The town is old.", "not_contradiction", False),
    ]


TASK: Task[Pair, Relation] = Task(
    name="pairs",
    read=read_pairs,
    present=present,
    call=call,
    partial=True,
    check=check,
    to_row=_to_row,
    from_row=_from_row,
    metrics=METRICS,
    score_many=score_many,
    examples=_examples,
    ablated=ablated,
    ablation_metrics=ABLATION_METRICS,
    differences=frozenset({"premise_gain"}),
    contract="relate(pairs) -> list[Relation]",
    read_answer=read_relation,
    adapt=adapt,
)
