"""Two other ways from pair gains to an order, to compare with: beam search and Held-Karp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.ordering.decoding.subset_dp import layers, masks

__all__ = ["HELD_KARP_UP_TO", "beam", "held_karp"]

HELD_KARP_UP_TO = 16

Matrix = NDArray[np.floating]
Must = NDArray[np.bool_]


def beam(gain: Matrix, must: Must | None = None, width: int = 32) -> tuple[int, ...]:
    """Place one unit after the other, keeping the ``width`` best beginnings.

    The aim is Kemeny's, so with a beam as wide as there are sets the answer is exact.
    """
    n = len(gain)
    total = gain.sum(axis=1)
    beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(n):
        grown: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {}
        for worth, head in beams:
            placed = list(head)
            lead = total - 2 * gain[:, placed].sum(axis=1)  # before all not yet placed
            for unit in range(n):
                if unit in head or (must is not None and not _allowed(must, head, unit)):
                    continue
                found = (worth + float(lead[unit]), (*head, unit))
                key = frozenset(found[1])
                # The same units in a worse order can never end better.
                if key not in grown or found[0] > grown[key][0] + 1e-12:
                    grown[key] = found
        beams = sorted(grown.values(), key=lambda one: (-one[0], one[1]))[:width]
    return beams[0][1]


def _allowed(must: Must, head: tuple[int, ...], unit: int) -> bool:
    return bool(set(np.flatnonzero(must[:, unit]).tolist()) <= set(head))


def held_karp(gain: Matrix, must: Must | None = None) -> tuple[int, ...]:
    """The path through all units whose neighbouring pairs gain most, exactly.

    It looks at neighbours alone: right where only those are known, and blind to the rest.
    """
    n = len(gain)
    if n == 0:
        return ()
    if n > HELD_KARP_UP_TO:
        raise UsageError(f"held-karp takes up to {HELD_KARP_UP_TO} units; there are {n}")
    size = 1 << n
    best = np.full((size, n), -np.inf)
    back = np.zeros((size, n), dtype=np.int8)
    needed = masks(must, n)
    for sets, members in layers(n):
        rest = sets[:, None] ^ (1 << members)
        if members.shape[1] == 1:
            value, came = np.zeros(members.shape), np.zeros(members.shape, dtype=np.int64)
        else:
            step = best[rest] + gain.T[members]  # over the unit that stands just before
            came = step.argmax(axis=2)
            value = np.take_along_axis(step, came[:, :, None], axis=2)[:, :, 0]
        value[(needed[members] & ~sets[:, None]) != 0] = -np.inf
        best[sets[:, None], members] = value
        back[sets[:, None], members] = came
    placed, unit = size - 1, int(best[size - 1].argmax())
    order = [unit]
    while len(order) < n:
        placed, unit = placed ^ (1 << unit), int(back[placed, unit])
        order.append(unit)
    return tuple(reversed(order))
