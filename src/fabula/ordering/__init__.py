"""Text ordering: shuffled sentences or paragraphs put back in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fabula.ordering.items import Order, Text, call, check, present, read_texts
from fabula.ordering.metrics import METRICS, score_orders
from fabula.task import Task

__all__ = ["TASK", "Order", "Text", "order"]


LONGEST = 1000  # units; the pairs of more would take minutes


def order(
    units: Sequence[str],
    *,
    model: Any = "best",
    first: int | None = None,
    last: int | None = None,
    before: Iterable[tuple[int, int]] = (),
    blocks: Iterable[Sequence[int]] = (),
    decoder: str | None = None,
) -> Order:
    """The units in the order in which they most likely stood.

    What is known of the order can be given, as unit numbers from 0: which unit is ``first`` or
    ``last``, pairs of which the one stands ``before`` the other, and ``blocks`` of units that
    stand side by side. Rules that contradict each other are refused. ``decoder`` is one of
    ``decode.DECODERS``; None leaves it to the model.

    >>> order(["Only one unit."]).order
    (0,)
    """
    from fabula.errors import UsageError
    from fabula.ordering.decode import decode
    from fabula.ordering.rules import Rules, decode_under
    from fabula.registry import create_model

    if isinstance(units, str):
        raise UsageError("order takes a list of strings; split a text with split_sentences")
    if len(units) > LONGEST:
        raise UsageError(
            f"order takes up to {LONGEST} units and there are {len(units)}; order larger parts "
            "first, such as paragraphs"
        )
    rules = Rules(first, last, tuple(before), tuple(tuple(block) for block in blocks))
    rules.check(len(units))
    if len(units) < 2:
        return Order(tuple(range(len(units))), np.full((len(units),) * 2, 0.5, dtype=np.float32))
    chosen = create_model("ordering", model) if isinstance(model, str) else model
    text = Text(id="order", units=tuple(units))
    (answer,) = call(chosen, [text])
    check(text, answer)
    if rules:
        found = decode_under(answer.before, rules, decoder or "best")
    elif decoder is not None:
        found = decode(answer.before, decoder)
    else:
        return answer
    return Order(found, answer.before)


def _to_row(answer: Order) -> dict[str, Any]:
    row = {"order": list(answer.order), "before": answer.before.tolist()}
    return {**row, "repaired": True} if answer.repaired else row


def _from_row(row: Mapping[str, Any]) -> Order:
    n = len(row["order"])
    before = np.asarray(row["before"], dtype=np.float32).reshape(n, n)
    return Order(tuple(row["order"]), before, bool(row.get("repaired", False)))


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
)
