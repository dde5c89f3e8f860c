"""Decoders to compare with: beam search for Kemeny's objective, and the Held-Karp path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.subset_dp import check_size, predecessor_masks, subsets_by_size

__all__ = ["HELD_KARP_UP_TO", "beam_search", "held_karp"]

HELD_KARP_UP_TO = 16

Matrix = NDArray[np.floating]
Must = NDArray[np.bool_]


def beam_search(gain: Matrix, must: Must | None = None, width: int = 32) -> tuple[int, ...]:
    """Beam search for Kemeny's objective, keeping the ``width`` best prefixes.

    Exact when the beam is as wide as there are subsets of units.
    """
    n = len(gain)
    total = gain.sum(axis=1)
    beam: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(n):
        best: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {}
        for value, prefix in beam:
            ahead = total - 2 * gain[:, list(prefix)].sum(axis=1)  # over all units not yet placed
            for unit in range(n):
                if unit in prefix or (must is not None and not _allowed(must, prefix, unit)):
                    continue
                candidate = (value + float(ahead[unit]), (*prefix, unit))
                placed = frozenset(candidate[1])
                # The same units in a worse order can never end better.
                if placed not in best or candidate[0] > best[placed][0] + 1e-12:
                    best[placed] = candidate
        beam = sorted(best.values(), key=lambda candidate: (-candidate[0], candidate[1]))[:width]
    return beam[0][1]


def _allowed(must: Must, prefix: tuple[int, ...], unit: int) -> bool:
    return bool(set(np.flatnonzero(must[:, unit]).tolist()) <= set(prefix))


def held_karp(gain: Matrix, must: Must | None = None) -> tuple[int, ...]:
    """The Hamiltonian path of the largest gain of adjacent pairs (Held and Karp 1962), exact.

    It ignores all pairs that are not adjacent.
    """
    n = len(gain)
    if n == 0:
        return ()
    check_size("held-karp", n, HELD_KARP_UP_TO)
    size = 1 << n
    best = np.full((size, n), -np.inf)
    back = np.zeros((size, n), dtype=np.int8)
    needed = predecessor_masks(must, n)
    for subsets, members in subsets_by_size(n):
        rest = subsets[:, None] ^ (1 << members)
        if members.shape[1] == 1:
            value, previous = np.zeros(members.shape), np.zeros(members.shape, dtype=np.int64)
        else:
            step = best[rest] + gain.T[members]  # over the unit directly before
            previous = step.argmax(axis=2)
            value = np.take_along_axis(step, previous[:, :, None], axis=2)[:, :, 0]
        value[(needed[members] & ~subsets[:, None]) != 0] = -np.inf
        best[subsets[:, None], members] = value
        back[subsets[:, None], members] = previous
    placed, unit = size - 1, int(best[size - 1].argmax())
    order = [unit]
    while len(order) < n:
        placed, unit = placed ^ (1 << unit), int(back[placed, unit])
        order.append(unit)
    return tuple(reversed(order))
