"""Text ordering: shuffled sentences or paragraphs put back in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fabula.ordering.api import order
from fabula.ordering.items import (
    Order,
    OrderingModel,
    Text,
    call,
    check,
    present,
    read_order,
    read_texts,
)
from fabula.ordering.metrics import METRICS, score_orders
from fabula.task import Task

__all__ = ["TASK", "Order", "OrderingModel", "Text", "order", "read_texts"]


def _to_row(answer: Order) -> dict[str, Any]:
    row = {"order": list(answer.order), "before": answer.before.tolist()}
    return {**row, "repaired": True} if answer.repaired else row


def _from_row(row: Mapping[str, Any]) -> Order:
    n = len(row["order"])
    before = row.get("before", np.full((n, n), 0.5))  # not in stored runs: no metric reads it
    pairs = np.asarray(before, dtype=np.float32).reshape(n, n)
    return Order(tuple(row["order"]), pairs, bool(row.get("repaired", False)))


def _examples() -> list[Text]:
    return [
        Text(
            id="kettle",
            units=(
                "Then she poured it over the leaves.",
                "Mara filled the kettle and set it on the stove.",
                "At last she drank the tea by the window.",
                "After five minutes the water boiled.",
            ),
            gold=(1, 3, 0, 2),
        ),
        Text(
            id="letter",
            units=("He read it twice.", "A letter came for Tom.", "Finally he answered it."),
            gold=(1, 0, 2),
        ),
    ]


TASK: Task[Text, Order] = Task(
    name="ordering",
    read=read_texts,
    present=present,
    call=call,
    check=check,
    to_row=_to_row,
    from_row=_from_row,
    metrics=METRICS,
    examples=_examples,
    score_many=score_orders,
    unread=frozenset({"before"}),
    contract="order(texts) -> list[Order]",
    read_answer=read_order,
)
