"""``order``: shuffled units to the order in which they most likely stood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fabula.core.threads import one_blas_thread
from fabula.errors import UsageError
from fabula.ordering.chronology.find_order import MODEL_ALONE, find_order
from fabula.ordering.decoding.constraints import OrderConstraints
from fabula.ordering.items import Order

__all__ = ["order"]


@one_blas_thread()
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
    """The most probable order of the units, with the probability of each pair.

    Constraints are unit numbers from 0: the ``first`` or ``last`` unit, pairs of which the one
    stands ``before`` the other, and ``blocks`` of units that stand side by side. Constraints that
    contradict each other are refused. ``decoder`` is one of ``kemeny.DECODERS``; None leaves it to
    the model, and so does ``best`` where the model has a decoder of its own.

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
    constraints = OrderConstraints.of(first, last, before, blocks)
    return find_order(units, model, constraints=constraints, decoder=decoder, policy=MODEL_ALONE)
