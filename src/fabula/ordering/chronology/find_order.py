"""The order of telling: units in, the order in which they most likely stood out, by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fabula.errors import UsageError
from fabula.ordering.decoding.constraints import (
    OrderConstraints,
    constrained_order,
    order_by_scores,
)
from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.items import Order, Text, call, check
from fabula.registry import create_model

__all__ = ["LONGEST", "UNCONSTRAINED", "check_length", "find_order"]

UNCONSTRAINED = OrderConstraints()
LONGEST = 1000  # units above which no order is sought: the number of pairs grows with the square


def find_order(
    units: Sequence[str],
    model: Any = "best",
    *,
    constraints: OrderConstraints = UNCONSTRAINED,
    decoder: str | None = None,
) -> Order:
    """The most probable order of the units that keeps the constraints, with P(i before j).

    ``decoder`` is one of ``kemeny.DECODERS``; None leaves it to the model.
    """
    n = len(units)
    check_length(n)
    constraints.check(n)
    if n < 2:
        return Order(tuple(range(n)), np.full((n, n), 0.5, dtype=np.float32))
    text = Text(id="order", units=tuple(units))
    (answer,) = call(create_model("ordering", model), [text])
    check(text, answer)
    return _decode(answer, constraints, decoder)


def check_length(n: int) -> None:
    """Refuse more units than can be ordered."""
    if n > LONGEST:
        raise UsageError(
            f"order takes up to {LONGEST} units and there are {n}; order larger parts "
            "first, such as paragraphs"
        )


def _decode(answer: Order, constraints: OrderConstraints, decoder: str | None) -> Order:
    """The model's own order, unless constraints or a decoder ask for another."""
    scores = answer.scores if decoder in (None, "best") else None
    if constraints:
        if scores is not None:
            order = order_by_scores(scores, constraints)
        else:
            order = constrained_order(answer.before, constraints, decoder)
    elif decoder is None or scores is not None:
        return answer
    else:
        order = decode(answer.before, decoder)
    return replace(answer, order=order, scores=scores)
