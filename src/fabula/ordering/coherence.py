"""Coherence of a text as given, by pair probabilities, and the moves that improve it most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.constraints import OrderConstraints, constrained_order
from fabula.ordering.items import Order

__all__ = ["Coherence", "Move", "coherence", "rate"]


@dataclass(frozen=True, slots=True)
class Move:
    """Move the unit at position ``start`` to position ``end`` (from 0).

    ``unit`` is its number in the text as given; ``score`` the coherence after the move.
    """

    unit: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Coherence:
    """``score`` is the mean P(i before j) over the pairs as given: 0.5 is that of a shuffled text,
    1 is certain. ``best`` is the highest score found: of the model's own order, of the text as
    given, or after moves, as far as they keep the constraints. ``neighbours`` are the probabilities
    of adjacent pairs. ``moves`` improve the score, each on top of those before it.
    """

    score: float
    best: float
    neighbours: tuple[float, ...]
    moves: tuple[Move, ...]


def coherence(
    units: Sequence[str],
    *,
    model: Any = "best",
    moves: int = 3,
    first: int | None = None,
    last: int | None = None,
    before: Iterable[Sequence[int]] = (),
    blocks: Iterable[Sequence[int]] = (),
) -> Coherence:
    """The coherence of a text as given, with at most ``moves`` improvements.

    Constraints are given as in ``order``; no move violates one.

    >>> coherence(["Only one unit."]).score
    1.0
    """
    from fabula.ordering import order

    constraints = OrderConstraints.of(first, last, before, blocks)
    answer = order(
        units,
        model=model,
        first=first,
        last=last,
        before=constraints.before,
        blocks=constraints.blocks,
    )
    return rate(answer, moves, constraints)


def rate(answer: Order, moves: int = 3, constraints: OrderConstraints | None = None) -> Coherence:
    """The coherence of the units as given, by the pair probabilities of a model's answer."""
    constraints = constraints or OrderConstraints()
    n = len(answer.order)
    given = Order(tuple(range(n)), answer.before)
    found_moves = []
    best = answer.confidence
    if (
        answer.scores is not None
    ):  # its own order maximises more than the pairs, of which the score consists
        best = max(
            best, Order(constrained_order(answer.before, constraints), answer.before).confidence
        )
    current = list(range(n))
    gain = answer.before.astype(np.float64) - answer.before.T  # of a pair, in the score
    for _ in range(moves):
        better = _best_move(current, gain, constraints)
        if better is None:
            break
        start, end = better
        unit = current.pop(start)
        current.insert(end, unit)
        score = Order(tuple(current), answer.before).confidence
        found_moves.append(Move(unit, start, end, score))
        if not constraints.broken(current):
            best = max(best, score)
    if not constraints.broken(given.order):
        best = max(best, given.confidence)
    return Coherence(given.confidence, best, given.neighbours, tuple(found_moves))


def _best_move(
    current: Sequence[int], gain: NDArray[np.floating], constraints: OrderConstraints
) -> tuple[int, int] | None:
    """The move (start, end) that gains most, or None where none gains.

    Constraints that the text violates as given may stay violated, but no move violates another.
    """
    ordered_gain = gain[np.ix_(current, current)]
    n = len(current)
    best, move = 1e-6, None
    for start in range(n):
        row = np.delete(ordered_gain[start], start)
        value = row.sum() - 2 * np.concatenate([[0.0], np.cumsum(row)])
        if constraints:
            value[[_breaks(current, start, end, constraints) for end in range(n)]] = -np.inf
        end = int(value.argmax())
        if value[end] - value[start] > best:
            best, move = float(value[end] - value[start]), (start, end)
    return move


def _breaks(current: Sequence[int], start: int, end: int, constraints: OrderConstraints) -> bool:
    moved = list(current)
    moved.insert(end, moved.pop(start))
    return not constraints.broken(moved) <= constraints.broken(current)
