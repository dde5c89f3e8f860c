from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ordering.decoding.test_constraints import RULES

from fabula.errors import UsageError
from fabula.ordering import order
from fabula.ordering.coherence import rate
from fabula.ordering.decoding.constraints import OrderConstraints, order_by_scores
from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.decoding.sequential_beam import sequential_beam_search
from fabula.ordering.items import Order, OrderScores, Text, check, present
from fabula.ordering.models.pairwise.calibration import fit_steps


def random_scores(n: int, seed: int) -> OrderScores:
    rng = np.random.default_rng(seed)
    pull = rng.normal(size=(n, n))
    return OrderScores(pull - pull.T, rng.normal(size=(n, n)), rng.normal(size=n), np.arange(n))


def log_probability(scores: OrderScores, order: tuple[int, ...]) -> float:
    """Step by step, as the formula is written."""
    total = 0.0
    for at, unit in enumerate(order):
        left = order[at:]
        near = scores.adjacency[order[at - 1]] if at else scores.first
        totals = {i: sum(scores.precedence[i, j] for j in left) + near[i] for i in left}
        total += totals[unit] - np.log(sum(np.exp(value) for value in totals.values()))
    return float(total)


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_a_wide_beam_finds_the_most_probable_order(n: int, seed: int) -> None:
    scores = random_scores(n, seed)
    every = {order: log_probability(scores, order) for order in permutations(range(n))}
    assert sum(np.exp(list(every.values()))) == pytest.approx(1)
    found = sequential_beam_search(scores, width=200)
    assert every[found] == pytest.approx(max(every.values()))


def test_a_narrow_beam_is_nearly_as_good() -> None:
    lost = 0
    for seed in range(20):
        scores = random_scores(8, seed)
        narrow, wide = (
            log_probability(scores, sequential_beam_search(scores, width=w)) for w in (32, 5000)
        )
        assert narrow <= wide + 1e-9
        lost += narrow < wide - 1e-9
    assert lost <= 2


def test_what_follows_decides_where_pairs_say_nothing() -> None:
    follow = np.zeros((4, 4))
    follow[2, 0] = follow[0, 3] = follow[3, 1] = 2.0
    scores = OrderScores(np.zeros((4, 4)), follow, np.array([0.0, 0.0, 1.0, 0.0]), np.arange(4))
    assert sequential_beam_search(scores) == (2, 0, 3, 1)


def test_nothing_known_leaves_the_units_as_they_are() -> None:
    zero = np.zeros((5, 5))
    assert sequential_beam_search(OrderScores(zero, zero, zero[0], np.arange(5))) == (0, 1, 2, 3, 4)
    assert (
        sequential_beam_search(OrderScores(zero[:0, :0], zero[:0, :0], zero[0, :0], np.arange(0)))
        == ()
    )


@settings(max_examples=20)
@given(st.sampled_from(RULES), st.integers(0, 500))
def test_the_most_probable_of_the_orders_that_keep_the_rules(
    rules: OrderConstraints, seed: int
) -> None:
    scores = random_scores(6, seed)
    allowed = [order for order in permutations(range(6)) if not rules.broken(order)]
    found = order_by_scores(scores, rules)
    assert not rules.broken(found)
    best = max(log_probability(scores, order) for order in allowed)
    assert log_probability(scores, found) == pytest.approx(best)


def test_the_fitted_weights_are_those_the_orders_were_drawn_with() -> None:
    rng = np.random.default_rng(0)
    said = []
    for seed in range(1500):
        scores = random_scores(4, seed)
        told = OrderScores(
            2.0 * scores.precedence, 0.5 * scores.adjacency, 1.0 * scores.first, scores.identity
        )
        orders = list(permutations(range(4)))
        chances = np.exp([log_probability(told, order) for order in orders])
        order = list(orders[rng.choice(len(orders), p=chances / chances.sum())])
        both = np.ix_(order, order)
        pairs = np.stack(
            [scores.precedence[both], rng.normal(size=(4, 4))], axis=2
        )  # the second is noise
        said.append((pairs, scores.adjacency[both][:, :, None], scores.first[order][:, None]))
    assert fit_steps(said) == pytest.approx([2.0, 0.0, 0.5, 1.0], abs=0.15)


def test_the_loss_in_training_is_the_formula() -> None:
    torch = pytest.importorskip("torch")
    from fabula.ordering.models.pairwise.training import pairs_loss, steps_loss

    several = [random_scores(5, 1), random_scores(3, 2)]
    pull, follow, opening = np.zeros((2, 5, 5)), np.zeros((2, 5, 5)), np.zeros((2, 5))
    pull[0], follow[0], opening[0] = several[0].precedence, several[0].adjacency, several[0].first
    pull[1, :3, :3], follow[1, :3, :3] = several[1].precedence, several[1].adjacency
    opening[1, :3] = several[1].first
    follow[1, :, 3:] = opening[1, 3:] = 99.0  # what is no unit has no say
    given = [torch.from_numpy(part) for part in (pull, follow, opening)]
    number = torch.tensor([5, 3])
    found = float(steps_loss(given[0], given[1], given[2], number))
    right = [
        -log_probability(scores, tuple(range(n))) / n
        for scores, n in zip(several, (5, 3), strict=True)
    ]
    assert found == pytest.approx(np.mean(right))
    sides = [
        np.logaddexp(0, -w.precedence[np.triu_indices(len(w.precedence), 1)]).mean()
        for w in several
    ]
    assert float(pairs_loss(given[0], number)) == pytest.approx(np.mean(sides))


class Steps:
    """A model whose pairs say nothing and whose steps say all."""

    def __init__(self, scores: OrderScores) -> None:
        self.scores = scores

    def order(self, texts: list[Text], /) -> list[Order]:
        before = np.full(self.scores.precedence.shape, 0.5, dtype=np.float32)
        return [
            Order(sequential_beam_search(self.scores), before, scores=self.scores) for _ in texts
        ]


def test_order_goes_by_the_steps_unless_another_decoder_is_named() -> None:
    units, scores = [f"Unit {i}." for i in range(5)], random_scores(5, 3)
    model, own = Steps(scores), sequential_beam_search(scores)
    assert own != (0, 1, 2, 3, 4)
    assert order(units, model=model).order == order(units, model=model, decoder="best").order == own
    first = own[2]
    found = order(units, model=model, first=first)
    assert (
        found.order
        == order_by_scores(scores, OrderConstraints(first=first))
        != (first, *sorted({*own} - {first}))
    )
    by_pairs = order(units, model=model, decoder="kemeny")
    assert by_pairs.order == (0, 1, 2, 3, 4) and by_pairs.scores is None


def test_a_restored_answer_has_no_scores_and_scores_of_other_units_are_refused() -> None:
    text, scores = Text("a", ("x", "y", "z")), random_scores(3, 1)
    (answer,) = Steps(scores).order([text])
    assert present(text, random.Random(0), {}).restore(answer).scores is None
    with pytest.raises(UsageError, match="scores are of 2 units"):
        check(text, replace(answer, scores=random_scores(2, 1)))


def test_equal_units_do_not_crowd_the_beam() -> None:
    source = [0] * 8 + [1, 2, 3, 4, 5]
    both = np.ix_(source, source)
    for seed in range(4):
        few = random_scores(6, seed)
        scores = OrderScores(
            few.precedence[both], few.adjacency[both], few.first[source], np.array(source)
        )
        found = sequential_beam_search(scores)
        assert [unit for unit in found if unit < 8] == list(range(8))
        with_copies = sequential_beam_search(replace(scores, identity=np.arange(13)), width=4000)
        best = log_probability(scores, with_copies)
        assert log_probability(scores, found) >= best - 1e-6
        # A rule that the order keeps anyway changes nothing; one among equal units can be kept.
        assert order_by_scores(scores, OrderConstraints(first=found[0])) == found
        turned = OrderConstraints(before=((4, 1),))
        assert not turned.broken(order_by_scores(scores, turned))


def test_the_best_coherence_is_not_below_that_of_the_pairs() -> None:
    rng = np.random.default_rng(0)
    for seed in range(20):
        odds = rng.normal(size=(5, 5))
        before = (1 / (1 + np.exp(odds.T - odds))).astype(np.float32)
        scores = replace(
            random_scores(5, seed), precedence=np.zeros((5, 5))
        )  # what follows decides alone
        rated = rate(Order(sequential_beam_search(scores), before, scores=scores), moves=0)
        assert rated.best >= Order(decode(before), before).confidence - 1e-6
