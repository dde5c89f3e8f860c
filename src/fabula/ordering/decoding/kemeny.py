"""From pair probabilities to an order: maximise the sum of log P(i before j) (Kemeny)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UnknownName, UsageError
from fabula.ordering.decoding.subset_dp import layers, masks

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

EXACT_UP_TO = 16  # units; 2^16 sets take some 20 ms, and beyond it local search finds the same
KEMENY_UP_TO = 20  # units; a second and 400 MB, and twice of both for each unit more
DECODERS = ("best", "kemeny", "search", "beam", "held-karp")

Matrix = NDArray[np.floating]
Must = NDArray[np.bool_]  # must[i, j]: unit i has to stand before unit j; transitive, no cycles


def decode(before: Matrix, decoder: str = "best", must: Must | None = None) -> tuple[int, ...]:
    """The order of the units under P(i before j).

    ``best`` is exact (``kemeny``) up to 16 units and Borda with insertion search (``search``)
    beyond. ``beam`` and ``held-karp`` are there to compare with.
    """
    return decode_gains(gains(before), decoder, must)


def decode_gains(gain: Matrix, decoder: str = "best", must: Must | None = None) -> tuple[int, ...]:
    """The same from what each pair gains."""
    from fabula.ordering.decoding.alternative_decoders import beam, held_karp

    if decoder not in DECODERS:
        raise UnknownName("decoder", decoder, DECODERS)
    if decoder == "best":
        decoder = "kemeny" if len(gain) <= EXACT_UP_TO else "search"
    if decoder == "kemeny":
        return kemeny(gain, must)
    if decoder == "search":
        return search(gain, must)
    return beam(gain, must) if decoder == "beam" else held_karp(gain, must)


def gains(before: Matrix) -> Matrix:
    """gain[i, j]: what is won by i standing before j; antisymmetric, so ties are truly ties."""
    safe = np.clip(before.astype(np.float64), 1e-6, 1 - 1e-6)
    logits = np.log(safe) - np.log1p(-safe)
    gain = (logits - logits.T) / 2
    np.fill_diagonal(gain, 0.0)
    return np.asarray(gain)


def kemeny(gain: Matrix, must: Must | None = None) -> tuple[int, ...]:
    """Exact dynamic programming over the sets of units already placed.

    best[S] is the largest gain of any order of the set S at the head of the text; the unit placed
    last in S stands after the rest of S and before everything outside it. Of equal orders the one
    that keeps lower units in front wins, so the answer repeats.
    """
    n = len(gain)
    if n == 0:
        return ()
    if n > KEMENY_UP_TO:
        raise UsageError(f"kemeny takes up to {KEMENY_UP_TO} units; there are {n}")
    size = 1 << n
    # lead[S, i]: what unit i gains by standing before every unit outside S.
    lead = np.zeros((size, n))
    for bit in range(n):
        lead[1 << bit : 2 << bit] = lead[: 1 << bit] + gain[:, bit]
    lead = lead[::-1]
    needed = masks(must, n)
    best = np.zeros(size)
    last = np.zeros(size, dtype=np.int8)
    for sets, members in layers(n):
        value = best[sets[:, None] ^ (1 << members)] + lead[sets[:, None], members]
        if must is not None:
            value[(needed[members] & ~sets[:, None]) != 0] = -np.inf
        # Rounding must not decide between equal orders.
        chosen = (value >= value.max(axis=1, keepdims=True) - 1e-9)[:, ::-1].argmax(axis=1)
        chosen = members.shape[1] - 1 - chosen
        rows = np.arange(len(sets))
        best[sets] = value[rows, chosen]
        last[sets] = members[rows, chosen]
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
    """Units by their total gain over all others, as far as ``must`` lets them."""
    ranked = np.argsort(-gain.sum(axis=1), kind="stable").tolist()
    if must is None:
        return tuple(ranked)
    order: list[int] = []
    waiting = must.sum(axis=0)
    while ranked:
        unit = next(unit for unit in ranked if waiting[unit] == 0)
        ranked.remove(unit)
        order.append(unit)
        waiting = waiting - must[unit]
    return tuple(order)


def insertion_search(
    order: tuple[int, ...], gain: Matrix, rounds: int = 50, must: Must | None = None
) -> tuple[int, ...]:
    """Take each unit out and put it where it gains most, until nothing moves."""
    current = list(order)
    for _ in range(rounds):
        moved = False
        for unit in list(current):
            at = current.index(unit)
            rest = current[:at] + current[at + 1 :]
            row = gain[unit, rest]
            # worth[p]: the gain of standing at place p, before rest[p:] and after rest[:p].
            worth = row.sum() - 2 * np.concatenate([[0.0], np.cumsum(row)])
            if must is not None:
                after = np.flatnonzero(must[rest, unit])
                ahead = np.flatnonzero(must[unit, rest])
                worth[: after.max(initial=-1) + 1] = -np.inf
                worth[ahead.min(initial=len(rest)) + 1 :] = -np.inf
            place = int(worth.argmax())
            if worth[place] > worth[at] + 1e-9:
                current = [*rest[:place], unit, *rest[place:]]
                moved = True
        if not moved:
            break
    return tuple(current)
