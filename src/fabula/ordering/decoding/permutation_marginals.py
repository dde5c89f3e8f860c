"""All orders of some units at once: how likely each pair and each step is among them.

An order's weight is the product of what draws its units to where they stand,

    log weight = sum of pull[i, j] over i before j + sum of follow[i, j] over j right behind i
                 + opening of the first,

and its probability is its share of the weight of all n! orders. A step of a ``walk`` knows only the
units that are left; here the whole order counts, so that units that are alike may stand side by
side, and the pairs decide which way round. The sums go over the sets of units placed so far, with
the last of them, forwards and backwards: 2^n sets, not n! orders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.sequential_beam import Walk
from fabula.ordering.decoding.subset_dp import layers

__all__ = ["Chances", "chances", "pair_chances"]

_LEAST = -700.0  # whose exponential is still a number above nothing
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """For B texts of n units each."""

    total: Floats  # B: the log of the weight of all orders
    before: Floats  # B x n x n: P(unit i stands before unit j)
    behind: Floats  # B x n x n: P(unit j stands right behind unit i)
    opens: Floats  # B x n: P(unit i stands first)


def chances(pull: Floats, follow: Floats, opening: Floats) -> Chances:
    """Of B texts: ``pull`` and ``follow`` are B x n x n, ``opening`` is B x n."""
    texts, n = opening.shape
    sets, units = np.arange(1 << n), np.arange(n)
    within = (sets[:, None] >> units) & 1 == 1
    # lead[S, i]: what unit i has from standing before every unit outside S.
    lead = np.matmul((~within).astype(np.float64), pull.transpose(0, 2, 1))
    highest = follow.max(axis=(1, 2), keepdims=True)
    near = np.exp(np.maximum(follow - highest, _LEAST))

    grown = sets[:, None] | (1 << units)  # S with unit i
    to_here = np.full((texts, 1 << n, n), -np.inf)  # of all orders of S that end with unit i
    to_here[:, 1 << units, units] = opening + lead[:, 1 << units, units]
    sides = [here for here, _ in layers(n)]
    for here in sides[:-1]:
        step = _sum(to_here[:, here], near) + highest
        row, unit = np.nonzero(~within[here])
        after = grown[here[row], unit]
        to_here[:, after, unit] = step[:, row, unit] + lead[:, after, unit]
    from_here = np.full((texts, 1 << n, n), -np.inf)  # of all ways to go on from S and unit i
    from_here[:, -1] = 0.0
    onwards = np.full((texts, 1 << n, n), -np.inf)  # the same from S, with unit i as the next
    for here in reversed(sides[:-1]):
        row, unit = np.nonzero(~within[here])
        after = grown[here[row], unit]
        onwards[:, here[row], unit] = lead[:, after, unit] + from_here[:, after, unit]
        from_here[:, here] = _sum(onwards[:, here], near.transpose(0, 2, 1)) + highest

    total = np.logaddexp.reduce(to_here[:, -1], axis=1)
    placed = np.exp(to_here + from_here - total[:, None, None])
    before = np.matmul(placed.transpose(0, 2, 1), (~within).astype(np.float64))
    top = to_here[:, 1:].max(axis=2, keepdims=True)
    left = np.exp(to_here[:, 1:] - top)
    right = np.exp(onwards[:, 1:] + top - total[:, None, None] + highest)
    behind = np.matmul(left.transpose(0, 2, 1), right) * near
    return Chances(total, before, behind, placed[:, 1 << units, units])


def pair_chances(walk: Walk) -> NDArray[np.float32]:
    """P(unit i stands before unit j) among all orders of one text."""
    found = chances(walk.pull[None], walk.follow[None], walk.opening[None])
    # Rounding must not decide between equal units.
    before: NDArray[np.float32] = np.round(found.before[0], 6).astype(np.float32)
    np.fill_diagonal(before, 0.5)
    return before


def _sum(values: Floats, near: Floats) -> Floats:
    """log of exp(values) @ near, without leaving the range of numbers."""
    top = values.max(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.matmul(np.exp(values - top), near)) + top)
