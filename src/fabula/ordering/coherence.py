"""How coherent a text is as it stands, and which moves would help it most."""

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
    """Take the unit at place ``start`` out and put it at place ``end`` (places from 0).

    ``unit`` is its number in the text as given; ``score`` the coherence after the move.
    """

    unit: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Coherence:
    """``score`` is the mean probability that two units stand in the right order: .5 is what a
    shuffled text has, 1 is certain. ``best`` is the highest score found: that of the model's own
    order, of the text as it stands, or after moves, as far as they keep the constraints. ``moves``
    improve the score, each on top of those before it.
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
    """Judge a text as it stands; ``moves`` is how many improvements are looked for at most.

    What is known of the order is given as in ``order``: no move breaks such a rule.

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
    """The coherence of the order given, by a model's pair probabilities."""
    constraints = constraints or OrderConstraints()
    n = len(answer.order)
    given = Order(tuple(range(n)), answer.before)
    found = []
    best = answer.confidence
    if answer.scores is not None:  # found by more than pairs, which the score is made of
        best = max(
            best, Order(constrained_order(answer.before, constraints), answer.before).confidence
        )
    current = list(range(n))
    gain = answer.before.astype(np.float64) - answer.before.T  # what the score is made of
    for _ in range(moves):
        better = _best_move(current, gain, constraints)
        if better is None:
            break
        start, end = better
        unit = current.pop(start)
        current.insert(end, unit)
        score = Order(tuple(current), answer.before).confidence
        found.append(Move(unit, start, end, score))
        if not constraints.broken(current):
            best = max(best, score)
    if not constraints.broken(given.order):
        best = max(best, given.confidence)
    return Coherence(given.confidence, best, given.neighbours, tuple(found))


def _best_move(
    current: Sequence[int], gain: NDArray[np.floating], constraints: OrderConstraints
) -> tuple[int, int] | None:
    """The one move that gains most, or None where nothing is worth moving.

    OrderConstraints that the text breaks as it stands may stay broken, but no move breaks another.
    """
    placed = gain[np.ix_(current, current)]
    n = len(current)
    best, move = 1e-6, None
    for start in range(n):
        row = np.delete(placed[start], start)
        worth = row.sum() - 2 * np.concatenate([[0.0], np.cumsum(row)])
        if constraints:
            worth[[_breaks(current, start, end, constraints) for end in range(n)]] = -np.inf
        end = int(worth.argmax())
        if worth[end] - worth[start] > best:
            best, move = float(worth[end] - worth[start]), (start, end)
    return move


def _breaks(current: Sequence[int], start: int, end: int, constraints: OrderConstraints) -> bool:
    moved = list(current)
    moved.insert(end, moved.pop(start))
    return not constraints.broken(moved) <= constraints.broken(current)
