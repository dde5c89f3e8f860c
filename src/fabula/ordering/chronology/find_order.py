"""The order of units: a model's pair probabilities, combined with the times the text tells.

The one code path of ``fabula.order`` and ``assemble``. Where the two differ today they pass
another ``OrderPolicy``.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
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

__all__ = [
    "MODEL_ALONE",
    "UNCONSTRAINED",
    "WITH_TIMES",
    "OrderPolicy",
    "find_order",
    "sort_timestamps",
]

UNCONSTRAINED = OrderConstraints()
_log = logging.getLogger("fabula.ordering")


@dataclass(frozen=True, slots=True)
class OrderPolicy:
    """What ``order`` and ``assemble`` do differently.

    ``times``: add the evidence of clock times and weekdays told in the text to the model's.
    ``longest``: units above which no order is sought, as the number of pairs grows with the square.
    ``linear_above``: units above which ``linear``, which scores each pair alone, replaces ``best``.
    """

    times: bool
    longest: int
    linear_above: int | None = None


MODEL_ALONE = OrderPolicy(times=False, longest=1000)  # ``order``
WITH_TIMES = OrderPolicy(times=True, longest=600, linear_above=150)  # ``assemble``


def find_order(
    units: Sequence[str],
    model: Any = "best",
    *,
    constraints: OrderConstraints = UNCONSTRAINED,
    decoder: str | None = None,
    policy: OrderPolicy = MODEL_ALONE,
    pile_hours: Sequence[int | None] | None = None,
) -> Order:
    """The most probable order of the units that keeps the constraints, with P(i before j).

    ``decoder`` is one of ``kemeny.DECODERS``; None leaves it to the model. ``pile_hours`` are the
    hours of these units where they are part of a pile (``temporal_order.hours_of``).
    """
    n = len(units)
    if n > policy.longest:
        raise UsageError(
            f"order takes up to {policy.longest} units and there are {n}; order larger parts "
            "first, such as paragraphs"
        )
    constraints.check(n)
    if n < 2:
        return Order(tuple(range(n)), np.full((n, n), 0.5, dtype=np.float32))
    if policy.linear_above is not None and n > policy.linear_above and model == "best":
        _log.info("%d units: ordered by the model linear instead of best", n)
        model = "linear"
    text = Text(id="order", units=tuple(units))
    (answer,) = call(create_model("ordering", model), [text])
    check(text, answer)
    if policy.times:
        from fabula.ordering.chronology.temporal_order import with_told_times

        answer = with_told_times(answer, units, pile_hours)
    return _decode(answer, constraints, decoder)


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


def sort_timestamps(order: Sequence[int], timestamps: Sequence[str | None]) -> list[int]:
    """The order with its units that have a timestamp sorted by it, in the slots they occupy.

    >>> sort_timestamps([2, 0, 1], ["10:30", None, "09:15"])
    [2, 0, 1]
    >>> sort_timestamps([0, 1, 2], ["10:30", None, "09:15"])
    [2, 1, 0]
    """
    timed = iter(sorted((i for i in order if timestamps[i]), key=lambda i: (str(timestamps[i]), i)))
    return [next(timed) if timestamps[i] else i for i in order]
