"""All orders at once: against every order written out."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ordering.decoding.test_constraints import RULES
from tests.ordering.decoding.test_sequential_beam import random_scores

from fabula.ordering.decoding.constraints import (
    OrderConstraints,
    constrained_order,
    order_by_scores,
)
from fabula.ordering.decoding.permutation_marginals import Marginals, permutation_marginals
from fabula.ordering.items import OrderScores
from fabula.ordering.models.pairwise.calibration import fit_chances


def weight(scores: OrderScores, order: tuple[int, ...]) -> float:
    """The log weight of one order, as the formula is written."""
    total = float(scores.first[order[0]])
    for at, unit in enumerate(order):
        total += sum(scores.precedence[unit, later] for later in order[at + 1 :])
        total += scores.adjacency[order[at - 1], unit] if at else 0.0
    return total


def found(several: list[OrderScores]) -> Marginals:
    names = ("precedence", "adjacency", "first")
    parts = (np.stack([getattr(scores, name) for scores in several]) for name in names)
    return permutation_marginals(*parts)


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(0, 1000), st.sampled_from([0.1, 1.0, 30.0]))
def test_the_sums_are_those_over_every_order(n: int, seed: int, strength: float) -> None:
    several = []
    for one in (random_scores(n, seed), random_scores(n, seed + 1)):
        pull, follow, opening = (
            strength * part for part in (one.precedence, one.adjacency, one.first)
        )
        several.append(OrderScores(pull, follow, opening, one.identity))
    sums = found(several)
    for number, scores in enumerate(several):
        orders = list(permutations(range(n)))
        logs = np.array([weight(scores, order) for order in orders])
        total = np.logaddexp.reduce(logs)
        before, behind, opens = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
        for order, share in zip(orders, np.exp(logs - total), strict=True):
            opens[order[0]] += share
            for at, unit in enumerate(order):
                before[unit, list(order[at + 1 :])] += share
                behind[unit, list(order[at + 1 : at + 2])] += share
        assert sums.log_partition[number] == pytest.approx(total)
        assert sums.before[number] == pytest.approx(before, abs=1e-9)
        assert sums.adjacent[number] == pytest.approx(behind, abs=1e-9)
        assert sums.first[number] == pytest.approx(opens, abs=1e-9)


def test_sixteen_units_are_weighed_as_a_whole() -> None:
    sums = found([random_scores(16, 0)])
    off = ~np.eye(16, dtype=bool)
    assert (sums.before + sums.before.transpose(0, 2, 1))[0][off] == pytest.approx(1)
    assert sums.adjacent.sum() == pytest.approx(15) and sums.first.sum() == pytest.approx(1)


def test_likeness_makes_neighbours_and_pairs_tell_the_direction() -> None:
    """A chain of units alike, and one hint that the last stands behind the first."""
    near = np.array([[3.0 if abs(i - j) == 1 else 0.0 for j in range(5)] for i in range(5)])
    pull = np.zeros((5, 5))
    pull[0, 4], pull[4, 0] = 0.5, -0.5
    blind = found([OrderScores(np.zeros((5, 5)), near, np.zeros(5), np.arange(5))])
    assert blind.before[0][~np.eye(5, dtype=bool)] == pytest.approx(0.5)
    told = found([OrderScores(pull, near, np.zeros(5), np.arange(5))])
    assert (told.before[0][np.triu_indices(5, 1)] > 0.55).all()


def test_rules_are_kept_by_weighing_only_the_orders_that_keep_them() -> None:
    """With the last unit of the chain in front, the others follow it backwards."""
    near = np.array([[3.0 if abs(i - j) == 1 else 0.0 for j in range(5)] for i in range(5)])
    scores = OrderScores(np.zeros((5, 5)), near, np.zeros(5), np.arange(5), joint=True)
    assert order_by_scores(scores, OrderConstraints(first=4)) == (4, 3, 2, 1, 0)
    assert order_by_scores(scores, OrderConstraints(before=((1, 0),))) == (4, 3, 2, 1, 0)


@settings(max_examples=20)
@given(st.sampled_from(RULES), st.integers(0, 1000))
def test_the_chances_are_those_among_the_orders_that_keep_the_rules(
    rules: OrderConstraints, seed: int
) -> None:
    scores = replace(random_scores(6, seed), joint=True)
    allowed = [order for order in permutations(range(6)) if not rules.broken(order)]
    shares = np.exp([weight(scores, order) for order in allowed])
    before = np.zeros((6, 6))
    for order, share in zip(allowed, shares / shares.sum(), strict=True):
        for at, unit in enumerate(order):
            before[unit, list(order[at + 1 :])] += share
    assert order_by_scores(scores, rules) == constrained_order(before, rules)


def test_scores_that_lie_far_apart_are_still_numbers() -> None:
    scores = random_scores(6, 0)
    far = found(
        [OrderScores(50 * scores.precedence, 500 * scores.adjacency, scores.first, scores.identity)]
    )
    assert np.isfinite(far.before).all() and np.isfinite(far.log_partition).all()


def test_the_fitted_weights_are_those_the_orders_were_drawn_with() -> None:
    rng = np.random.default_rng(0)
    orders, said = list(permutations(range(4))), []
    for seed in range(1500):
        scores = random_scores(4, seed)
        told = OrderScores(
            0.7 * scores.precedence, 0.5 * scores.adjacency, 1.0 * scores.first, scores.identity
        )
        shares = np.exp([weight(told, order) for order in orders])
        order = list(orders[rng.choice(len(orders), p=shares / shares.sum())])
        both = np.ix_(order, order)
        noise = rng.normal(size=(4, 4))
        follow = np.stack([scores.adjacency[both], noise], axis=2)
        said.append((scores.precedence[both][:, :, None], follow, scores.first[order][:, None]))
    assert fit_chances(said) == pytest.approx([0.7, 0.5, 0.0, 1.0], abs=0.1)


def test_texts_of_many_units_and_of_few_are_fitted_together() -> None:
    said = []
    for n, seed in ((1, 3), (2, 0), (3, 1), (14, 2)):
        scores = random_scores(n, seed)
        rising = np.triu(np.ones((n, n)), 1)
        said.append(
            ((rising - rising.T)[:, :, None], scores.adjacency[:, :, None], np.zeros((n, 1)))
        )
    pairs, _, opening = fit_chances(said)
    assert pairs > 1 and opening == pytest.approx(0)
