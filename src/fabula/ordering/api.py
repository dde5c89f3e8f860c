"""``order``: shuffled units to the order in which they most likely stood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fabula.core.threads import one_blas_thread
from fabula.errors import UsageError
from fabula.ordering.chronology.find_order import UNCONSTRAINED, check_length, find_order
from fabula.ordering.decoding.constraints import OrderConstraints
from fabula.ordering.items import Order

if TYPE_CHECKING:
    from fabula.ordering.chronology.solver import Chronology

__all__ = ["BY", "order", "order_by_time"]

BY = ("telling", "time")


@one_blas_thread()
def order(
    units: Iterable[str],
    *,
    by: str = "telling",
    date: str | None = None,
    model: Any = "best",
    first: int | None = None,
    last: int | None = None,
    before: Iterable[Sequence[int]] = (),
    blocks: Iterable[Sequence[int]] = (),
    decoder: str | None = None,
) -> Order:
    """The most probable order of the units, with the probability of each pair.

    By "telling": the order in which they stood in their text. By "time": the order in which things
    happened, by the times told and the model; ``date`` (YYYY-MM-DD) is the day of writing, from
    which "on Monday" is told.

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
    if by not in BY:
        raise UsageError(f"by takes {', '.join(BY)}; it is {by!r}")
    if by == "telling":
        if date is not None:
            raise UsageError('date is for by="time"')
        told = find_order(units, model, constraints=constraints, decoder=decoder)
        return replace(told, units=tuple(units))
    if decoder is not None:
        raise UsageError('decoder is for by="telling"')
    found = order_by_time(units, date, model, constraints)
    return Order(found.order, found.before, units=tuple(units))


def order_by_time(
    units: Sequence[str],
    date: str | None = None,
    model: Any = "best",
    constraints: OrderConstraints = UNCONSTRAINED,
) -> Chronology:
    """The order of happening of units without a document, with when each happened."""
    from fabula.ordering.chronology.sentence_times import StorySentence
    from fabula.ordering.chronology.solver import find_chronology
    from fabula.text.times import check_date

    check_length(len(units))
    constraints.check(len(units))
    day = check_date(date)
    sentences = [StorySentence(unit, date=day) for unit in units]
    return find_chronology(sentences, model, constraints=constraints)
