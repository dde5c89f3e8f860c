"""Exact pair and adjacency marginals over all permutations, by forward-backward over subsets.

A permutation has the log-weight

    sum of precedence[i, j] over i before j + sum of adjacency[i, j] over j directly after i
    + first[the first unit],

and its probability is its share of the weight of all n! permutations. Unlike the steps of
``sequential_beam``, which are normalised one by one, this weighs the order as a whole, so similar
units may stand side by side while the pairs decide which comes first. The state is the set of
units placed so far and the last of them, as in Held and Karp (1962): 2^n n states, not n! orders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.subset_dp import subsets_by_size
from fabula.ordering.items import OrderScores

__all__ = ["Marginals", "pair_marginals", "permutation_marginals"]

_LOWEST_LOG = -700.0  # its exponential is still above zero in float64
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Of B texts of n units each."""

    log_partition: Floats  # B: the log of the weight of all permutations
    before: Floats  # B x n x n: P(unit i stands before unit j)
    adjacent: Floats  # B x n x n: P(unit j stands directly after unit i)
    first: Floats  # B x n: P(unit i stands first)


def permutation_marginals(precedence: Floats, adjacency: Floats, first: Floats) -> Marginals:
    """Marginals of B texts from ``precedence`` and ``adjacency`` (B x n x n), ``first`` (B x n)."""
    texts, n = first.shape
    subsets, units = np.arange(1 << n), np.arange(n)
    within = (subsets[:, None] >> units) & 1 == 1
    # ahead[S, i]: the precedence of unit i over every unit outside S.
    ahead = np.matmul((~within).astype(np.float64), precedence.transpose(0, 2, 1))
    highest = adjacency.max(axis=(1, 2), keepdims=True)
    transition = np.exp(np.maximum(adjacency - highest, _LOWEST_LOG))

    extended = subsets[:, None] | (1 << units)  # S with unit i
    forward = np.full((texts, 1 << n, n), -np.inf)  # log-weight of all orders of S ending in i
    forward[:, 1 << units, units] = first + ahead[:, 1 << units, units]
    layers = [subset for subset, _ in subsets_by_size(n)]
    for layer in layers[:-1]:
        step = _log_matmul(forward[:, layer], transition) + highest
        row, unit = np.nonzero(~within[layer])
        after = extended[layer[row], unit]
        forward[:, after, unit] = step[:, row, unit] + ahead[:, after, unit]
    backward = np.full((texts, 1 << n, n), -np.inf)  # of all completions of S ending in i
    backward[:, -1] = 0.0
    onward = np.full((texts, 1 << n, n), -np.inf)  # of all completions of S whose next unit is i
    for layer in reversed(layers[:-1]):
        row, unit = np.nonzero(~within[layer])
        after = extended[layer[row], unit]
        onward[:, layer[row], unit] = ahead[:, after, unit] + backward[:, after, unit]
        backward[:, layer] = _log_matmul(onward[:, layer], transition.transpose(0, 2, 1)) + highest

    log_partition = np.logaddexp.reduce(forward[:, -1], axis=1)
    states = np.exp(forward + backward - log_partition[:, None, None])
    before = np.matmul(states.transpose(0, 2, 1), (~within).astype(np.float64))
    top = forward[:, 1:].max(axis=2, keepdims=True)
    left = np.exp(forward[:, 1:] - top)
    right = np.exp(onward[:, 1:] + top - log_partition[:, None, None] + highest)
    adjacent = np.matmul(left.transpose(0, 2, 1), right) * transition
    return Marginals(log_partition, before, adjacent, states[:, 1 << units, units])


def pair_marginals(scores: OrderScores) -> NDArray[np.float32]:
    """n x n: P(unit i stands before unit j) over all permutations of one text; 0.5 for i = j."""
    marginals = permutation_marginals(
        scores.precedence[None], scores.adjacency[None], scores.first[None]
    )
    # Rounding must not decide between equal units.
    before: NDArray[np.float32] = np.round(marginals.before[0], 6).astype(np.float32)
    np.fill_diagonal(before, 0.5)
    return before


def _log_matmul(log_values: Floats, matrix: Floats) -> Floats:
    """log(exp(log_values) @ matrix) without overflow."""
    top = log_values.max(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.matmul(np.exp(log_values - top), matrix)) + top)
