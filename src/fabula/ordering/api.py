"""Restoring an order: the product's own use of a model, with what a person knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fabula.errors import UsageError
from fabula.ordering.decoding.constraints import Rules, decode_under, walk_under
from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.items import Order, Text, call, check
from fabula.registry import create_model

__all__ = ["order"]

LONGEST = 1000  # units; the pairs of more would take minutes


def order(
    units: Iterable[str],
    *,
    model: Any = "best",
    first: int | None = None,
    last: int | None = None,
    before: Iterable[Sequence[int]] = (),
    blocks: Iterable[Sequence[int]] = (),
    decoder: str | None = None,
) -> Order:
    """The units in the order in which they most likely stood.

    What is known of the order can be given, as unit numbers from 0: which unit is ``first`` or
    ``last``, pairs of which the one stands ``before`` the other, and ``blocks`` of units that
    stand side by side. Rules that contradict each other are refused. ``decoder`` is one of
    ``decode.DECODERS``; None leaves it to the model, and so does ``best`` where it has its own way.

    >>> order(["Only one unit."]).order
    (0,)
    """
    if isinstance(units, str) or not isinstance(units, Iterable):
        raise UsageError("order takes a list of strings; split a text with split_sentences")
    units = list(units)
    for number, unit in enumerate(units):
        if not isinstance(unit, str):
            kind = type(unit).__name__
            raise UsageError(f"order takes a list of strings; units[{number}] is a {kind}")
    if len(units) > LONGEST:
        raise UsageError(
            f"order takes up to {LONGEST} units and there are {len(units)}; order larger parts "
            "first, such as paragraphs"
        )
    rules = Rules.of(first, last, before, blocks)
    rules.check(len(units))
    if len(units) < 2:
        return Order(tuple(range(len(units))), np.full((len(units),) * 2, 0.5, dtype=np.float32))
    chosen = create_model("ordering", model)
    text = Text(id="order", units=tuple(units))
    (answer,) = call(chosen, [text])
    check(text, answer)
    walk = answer.walk if decoder in (None, "best") else None
    if rules:
        if walk is not None:
            found = walk_under(walk, rules)
        else:
            found = decode_under(answer.before, rules, decoder)
    elif decoder is None or walk is not None:
        return answer
    else:
        found = decode(answer.before, decoder)
    return replace(answer, order=found, walk=walk)
