"""Kemeny decoding: the order with the largest sum of log P(i before j) over its pairs.

Exact by dynamic programming over subsets up to 16 units; Borda with insertion search beyond.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UnknownName
from fabula.ordering.decoding.subset_dp import check_size, predecessor_masks, subsets_by_size

__all__ = [
    "DECODERS",
    "EXACT_UP_TO",
    "borda",
    "decode",
    "decode_gains",
    "gains",
    "insertion_search",
    "kemeny",
    "search",
]

EXACT_UP_TO = 16  # units; 2^16 subsets take some 20 ms, and local search finds the same beyond
KEMENY_UP_TO = 20  # units; a second and 400 MB, doubling with each further unit
DECODERS = ("best", "kemeny", "search", "beam", "held-karp")

Matrix = NDArray[np.floating]
Must = NDArray[np.bool_]  # must[i, j]: unit i has to stand before unit j; transitive, no cycles


def decode(before: Matrix, decoder: str = "best", must: Must | None = None) -> tuple[int, ...]:
    """The order of the units that decodes an n x n matrix of P(i before j).

    ``best`` is exact (``kemeny``) up to 16 units and Borda with insertion search (``search``)
    beyond. ``beam`` and ``held-karp`` are there to compare with.

    >>> decode(np.array([[0.5, 0.2], [0.8, 0.5]]))
    (1, 0)
    """
    return decode_gains(gains(before), decoder, must)


def decode_gains(gain: Matrix, decoder: str = "best", must: Must | None = None) -> tuple[int, ...]:
    """The order of the units that decodes a gain matrix; see ``gains``."""
    from fabula.ordering.decoding.alternative_decoders import beam_search, held_karp

    if decoder not in DECODERS:
        raise UnknownName("decoder", decoder, DECODERS)
    if decoder == "best":
        decoder = "kemeny" if len(gain) <= EXACT_UP_TO else "search"
    if decoder == "kemeny":
        return kemeny(gain, must)
    if decoder == "search":
        return search(gain, must)
    return beam_search(gain, must) if decoder == "beam" else held_karp(gain, must)


def gains(before: Matrix) -> Matrix:
    """gain[i, j]: the log-odds of i before j, made antisymmetric so that ties are exact ties."""
    clipped = np.clip(before.astype(np.float64), 1e-6, 1 - 1e-6)
    logits = np.log(clipped) - np.log1p(-clipped)
    gain = (logits - logits.T) / 2
    np.fill_diagonal(gain, 0.0)
    return np.asarray(gain)


def kemeny(gain: Matrix, must: Must | None = None) -> tuple[int, ...]:
    """Exact Kemeny order by dynamic programming over the subsets of units already placed.

    best[S] is the largest gain of any order of the subset S at the head of the text; the last unit
    of S stands after the rest of S and before everything outside it. Of equal orders the one that
    keeps lower unit numbers in front wins, so that answers repeat.
    """
    n = len(gain)
    if n == 0:
        return ()
    check_size("kemeny", n, KEMENY_UP_TO)
    size = 1 << n
    # ahead[S, i]: the gain of unit i before every unit outside S.
    ahead = np.zeros((size, n))
    for bit in range(n):
        ahead[1 << bit : 2 << bit] = ahead[: 1 << bit] + gain[:, bit]
    ahead = ahead[::-1]
    needed = predecessor_masks(must, n)
    best = np.zeros(size)
    last = np.zeros(size, dtype=np.int8)
    for subsets, members in subsets_by_size(n):
        value = best[subsets[:, None] ^ (1 << members)] + ahead[subsets[:, None], members]
        if must is not None:
            value[(needed[members] & ~subsets[:, None]) != 0] = -np.inf
        # Rounding must not decide between equal orders.
        chosen = (value >= value.max(axis=1, keepdims=True) - 1e-9)[:, ::-1].argmax(axis=1)
        chosen = members.shape[1] - 1 - chosen
        rows = np.arange(len(subsets))
        best[subsets] = value[rows, chosen]
        last[subsets] = members[rows, chosen]
    order, placed = [], size - 1
    while placed:
        unit = int(last[placed])
        order.append(unit)
        placed ^= 1 << unit
    return tuple(reversed(order))


def search(gain: Matrix, must: Must | None = None) -> tuple[int, ...]:
    """Borda's order, then insertion search."""
    return insertion_search(borda(gain, must), gain, must=must)


def borda(gain: Matrix, must: Must | None = None) -> tuple[int, ...]:
    """Borda's order: units by their total gain over all others, as far as ``must`` allows."""
    ranked = np.argsort(-gain.sum(axis=1), kind="stable").tolist()
    if must is None:
        return tuple(ranked)
    order: list[int] = []
    blockers = must.sum(axis=0)
    while ranked:
        unit = next(unit for unit in ranked if blockers[unit] == 0)
        ranked.remove(unit)
        order.append(unit)
        blockers = blockers - must[unit]
    return tuple(order)


def insertion_search(
    order: tuple[int, ...], gain: Matrix, rounds: int = 50, must: Must | None = None
) -> tuple[int, ...]:
    """Local search: reinsert each unit where it gains most, until no unit moves."""
    current = list(order)
    for _ in range(rounds):
        moved = False
        for unit in list(current):
            at = current.index(unit)
            rest = current[:at] + current[at + 1 :]
            row = gain[unit, rest]
            # value[p]: the gain of position p, before rest[p:] and after rest[:p].
            value = row.sum() - 2 * np.concatenate([[0.0], np.cumsum(row)])
            if must is not None:
                after = np.flatnonzero(must[rest, unit])
                ahead = np.flatnonzero(must[unit, rest])
                value[: after.max(initial=-1) + 1] = -np.inf
                value[ahead.min(initial=len(rest)) + 1 :] = -np.inf
            position = int(value.argmax())
            if value[position] > value[at] + 1e-9:
                current = [*rest[:position], unit, *rest[position:]]
                moved = True
        if not moved:
            break
    return tuple(current)
