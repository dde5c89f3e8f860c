"""From pair probabilities to an order: maximise the sum of log P(i before j) (Kemeny)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT_UP_TO", "borda", "decode", "insertion_search", "kemeny"]

EXACT_UP_TO = 12  # units; 2^12 states take milliseconds, and beyond it local search finds the same

Matrix = NDArray[np.floating]


def decode(before: Matrix) -> tuple[int, ...]:
    """The best order: exact for short texts, Borda plus insertion search for longer ones."""
    gain = _gain(before)
    if len(gain) <= EXACT_UP_TO:
        return kemeny(gain)
    return insertion_search(borda(gain), gain)


def _gain(before: Matrix) -> Matrix:
    """gain[i, j]: what is won by i standing before j; antisymmetric, so ties are truly ties."""
    safe = np.clip(before.astype(np.float64), 1e-6, 1 - 1e-6)
    logits = np.log(safe) - np.log1p(-safe)
    gain = (logits - logits.T) / 2
    np.fill_diagonal(gain, 0.0)
    return np.asarray(gain)


def kemeny(gain: Matrix) -> tuple[int, ...]:
    """Exact dynamic programming over the sets of units already placed.

    best[S] is the largest gain of any order of the set S at the head of the text; the unit placed
    last in S stands after the rest of S and before everything outside it.
    """
    n = len(gain)
    if n == 0:
        return ()
    size = 1 << n
    sets = np.arange(size)
    # lead[S, i]: what unit i gains by standing before every unit of S, built bit by bit.
    lead = np.zeros((size, n))
    for bit in range(n):
        lead[1 << bit : 2 << bit] = lead[: 1 << bit] + gain[:, bit]
    best = np.full(size, -np.inf)
    best[0] = 0.0
    last = np.zeros(size, dtype=np.int8)
    popcount = np.zeros(size, dtype=np.int8)
    for bit in range(n):
        popcount[1 << bit : 2 << bit] = popcount[: 1 << bit] + 1
    for count in range(1, n + 1):
        layer = sets[popcount == count]
        for unit in range(n):
            here = layer[(layer >> unit) & 1 == 1]
            rest = here ^ (1 << unit)
            value = best[rest] + lead[(size - 1) ^ here, unit]
            better = value > best[here] + 1e-12  # ties go to the lower unit: the answer repeats
            best[here[better]] = value[better]
            last[here[better]] = unit
    order, placed = [], size - 1
    while placed:
        unit = int(last[placed])
        order.append(unit)
        placed ^= 1 << unit
    return tuple(reversed(order))


def borda(gain: Matrix) -> tuple[int, ...]:
    """Units by their total gain over all others."""
    return tuple(np.argsort(-gain.sum(axis=1), kind="stable").tolist())


def insertion_search(order: tuple[int, ...], gain: Matrix, rounds: int = 50) -> tuple[int, ...]:
    """Take each unit out and put it where it gains most, until nothing moves."""
    current = list(order)
    for _ in range(rounds):
        moved = False
        for unit in list(current):
            at = current.index(unit)
            rest = current[:at] + current[at + 1 :]
            row = gain[unit, rest]
            # worth[p]: the gain of standing at place p, before rest[p:] and after rest[:p].
            total = row.sum()
            worth = total - 2 * np.concatenate([[0.0], np.cumsum(row)])
            place = int(worth.argmax())
            if worth[place] > worth[at] + 1e-9:
                current = [*rest[:place], unit, *rest[place:]]
                moved = True
        if not moved:
            break
    return tuple(current)
