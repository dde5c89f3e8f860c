"""How coherent a text is as it stands, and which moves would help it most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    order, of the text as it stands, or after the moves. ``moves`` improve the score, each on top
    of those before it.
    """

    score: float
    best: float
    neighbours: tuple[float, ...]
    moves: tuple[Move, ...]


def coherence(units: Sequence[str], *, model: Any = "best", moves: int = 3) -> Coherence:
    """Judge a text as it stands; ``moves`` is how many improvements are looked for at most.

    >>> coherence(["Only one unit."]).score
    1.0
    """
    from fabula.ordering import order

    return rate(order(units, model=model), moves)


def rate(answer: Order, moves: int = 3) -> Coherence:
    """The coherence of the order given, by a model's pair probabilities."""
    n = len(answer.order)
    given = Order(tuple(range(n)), answer.before)
    found = []
    current = list(range(n))
    gain = answer.before.astype(np.float64) - answer.before.T  # what the score is made of
    for _ in range(moves):
        better = _best_move(current, gain)
        if better is None:
            break
        start, end = better
        unit = current.pop(start)
        current.insert(end, unit)
        score = Order(tuple(current), answer.before).confidence
        found.append(Move(unit, start, end, score))
    best = max(answer.confidence, given.confidence, *(move.score for move in found))
    return Coherence(given.confidence, best, given.neighbours, tuple(found))


def _best_move(current: Sequence[int], gain: NDArray[np.floating]) -> tuple[int, int] | None:
    """The one move that gains most, or None where nothing is worth moving."""
    placed = gain[np.ix_(current, current)]
    n = len(current)
    best, move = 1e-6, None
    for start in range(n):
        row = np.delete(placed[start], start)
        worth = row.sum() - 2 * np.concatenate([[0.0], np.cumsum(row)])
        end = int(worth.argmax())
        if worth[end] - worth[start] > best:
            best, move = float(worth[end] - worth[start]), (start, end)
    return move
