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
from fabula.ordering.decoding.constraints import Rules, walk_under
from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.decoding.sequential_beam import Walk, best_walk
from fabula.ordering.items import Order, Text, check, present
from fabula.ordering.models.pairwise.calibration import fit_steps


def some_walk(n: int, seed: int) -> Walk:
    rng = np.random.default_rng(seed)
    pull = rng.normal(size=(n, n))
    return Walk(pull - pull.T, rng.normal(size=(n, n)), rng.normal(size=n), np.arange(n))


def log_probability(walk: Walk, order: tuple[int, ...]) -> float:
    """Step by step, as the formula is written."""
    total = 0.0
    for at, unit in enumerate(order):
        left = order[at:]
        near = walk.follow[order[at - 1]] if at else walk.opening
        scores = {i: sum(walk.pull[i, j] for j in left) + near[i] for i in left}
        total += scores[unit] - np.log(sum(np.exp(score) for score in scores.values()))
    return float(total)


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_a_wide_beam_finds_the_most_probable_order(n: int, seed: int) -> None:
    walk = some_walk(n, seed)
    every = {order: log_probability(walk, order) for order in permutations(range(n))}
    assert sum(np.exp(list(every.values()))) == pytest.approx(1)
    found = best_walk(walk, width=200)
    assert every[found] == pytest.approx(max(every.values()))


def test_a_narrow_beam_is_nearly_as_good() -> None:
    lost = 0
    for seed in range(20):
        walk = some_walk(8, seed)
        narrow, wide = (log_probability(walk, best_walk(walk, width=w)) for w in (32, 5000))
        assert narrow <= wide + 1e-9
        lost += narrow < wide - 1e-9
    assert lost <= 2


def test_what_follows_decides_where_pairs_say_nothing() -> None:
    follow = np.zeros((4, 4))
    follow[2, 0] = follow[0, 3] = follow[3, 1] = 2.0
    walk = Walk(np.zeros((4, 4)), follow, np.array([0.0, 0.0, 1.0, 0.0]), np.arange(4))
    assert best_walk(walk) == (2, 0, 3, 1)


def test_nothing_known_leaves_the_units_as_they_are() -> None:
    zero = np.zeros((5, 5))
    assert best_walk(Walk(zero, zero, zero[0], np.arange(5))) == (0, 1, 2, 3, 4)
    assert best_walk(Walk(zero[:0, :0], zero[:0, :0], zero[0, :0], np.arange(0))) == ()


@settings(max_examples=20)
@given(st.sampled_from(RULES), st.integers(0, 500))
def test_the_most_probable_of_the_orders_that_keep_the_rules(rules: Rules, seed: int) -> None:
    walk = some_walk(6, seed)
    allowed = [order for order in permutations(range(6)) if not rules.broken(order)]
    found = walk_under(walk, rules)
    assert not rules.broken(found)
    best = max(log_probability(walk, order) for order in allowed)
    assert log_probability(walk, found) == pytest.approx(best)


def test_the_fitted_weights_are_those_the_orders_were_drawn_with() -> None:
    rng = np.random.default_rng(0)
    said = []
    for seed in range(1500):
        walk = some_walk(4, seed)
        told = Walk(2.0 * walk.pull, 0.5 * walk.follow, 1.0 * walk.opening, walk.kinds)
        orders = list(permutations(range(4)))
        chances = np.exp([log_probability(told, order) for order in orders])
        order = list(orders[rng.choice(len(orders), p=chances / chances.sum())])
        both = np.ix_(order, order)
        pairs = np.stack([walk.pull[both], rng.normal(size=(4, 4))], axis=2)  # the second is noise
        said.append((pairs, walk.follow[both][:, :, None], walk.opening[order][:, None]))
    assert fit_steps(said) == pytest.approx([2.0, 0.0, 0.5, 1.0], abs=0.15)


def test_the_loss_in_training_is_the_formula() -> None:
    torch = pytest.importorskip("torch")
    from fabula.ordering.models.pairwise.training import pairs_loss, steps_loss

    walks = [some_walk(5, 1), some_walk(3, 2)]
    pull, follow, opening = np.zeros((2, 5, 5)), np.zeros((2, 5, 5)), np.zeros((2, 5))
    pull[0], follow[0], opening[0] = walks[0].pull, walks[0].follow, walks[0].opening
    pull[1, :3, :3], follow[1, :3, :3] = walks[1].pull, walks[1].follow
    opening[1, :3] = walks[1].opening
    follow[1, :, 3:] = opening[1, 3:] = 99.0  # what is no unit has no say
    given = [torch.from_numpy(part) for part in (pull, follow, opening)]
    number = torch.tensor([5, 3])
    found = float(steps_loss(given[0], given[1], given[2], number))
    right = [
        -log_probability(walk, tuple(range(n))) / n for walk, n in zip(walks, (5, 3), strict=True)
    ]
    assert found == pytest.approx(np.mean(right))
    sides = [np.logaddexp(0, -w.pull[np.triu_indices(len(w.pull), 1)]).mean() for w in walks]
    assert float(pairs_loss(given[0], number)) == pytest.approx(np.mean(sides))


class Steps:
    """A model whose pairs say nothing and whose steps say all."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def order(self, texts: list[Text], /) -> list[Order]:
        before = np.full(self.walk.pull.shape, 0.5, dtype=np.float32)
        return [Order(best_walk(self.walk), before, walk=self.walk) for _ in texts]


def test_order_goes_by_the_steps_unless_another_decoder_is_named() -> None:
    units, walk = [f"Unit {i}." for i in range(5)], some_walk(5, 3)
    model, own = Steps(walk), best_walk(walk)
    assert own != (0, 1, 2, 3, 4)
    assert order(units, model=model).order == order(units, model=model, decoder="best").order == own
    first = own[2]
    found = order(units, model=model, first=first)
    assert found.order == walk_under(walk, Rules(first=first)) != (first, *sorted({*own} - {first}))
    by_pairs = order(units, model=model, decoder="kemeny")
    assert by_pairs.order == (0, 1, 2, 3, 4) and by_pairs.walk is None


def test_an_answer_put_back_has_no_steps_and_a_walk_of_other_units_is_refused() -> None:
    text, walk = Text("a", ("x", "y", "z")), some_walk(3, 1)
    (answer,) = Steps(walk).order([text])
    assert present(text, random.Random(0), {}).restore(answer).walk is None
    with pytest.raises(UsageError, match="walk is of 2 units"):
        check(text, replace(answer, walk=some_walk(2, 1)))


def test_equal_units_do_not_crowd_the_beam() -> None:
    source = [0] * 8 + [1, 2, 3, 4, 5]
    both = np.ix_(source, source)
    for seed in range(4):
        few = some_walk(6, seed)
        walk = Walk(few.pull[both], few.follow[both], few.opening[source], np.array(source))
        found = best_walk(walk)
        assert [unit for unit in found if unit < 8] == list(range(8))
        with_copies = best_walk(replace(walk, kinds=np.arange(13)), width=4000)
        best = log_probability(walk, with_copies)
        assert log_probability(walk, found) >= best - 1e-6
        # A rule that the order keeps anyway changes nothing; one among equal units can be kept.
        assert walk_under(walk, Rules(first=found[0])) == found
        turned = Rules(before=((4, 1),))
        assert not turned.broken(walk_under(walk, turned))


def test_the_best_coherence_is_not_below_that_of_the_pairs() -> None:
    rng = np.random.default_rng(0)
    for seed in range(20):
        odds = rng.normal(size=(5, 5))
        before = (1 / (1 + np.exp(odds.T - odds))).astype(np.float32)
        walk = replace(some_walk(5, seed), pull=np.zeros((5, 5)))  # what follows decides alone
        rated = rate(Order(best_walk(walk), before, walk=walk), moves=0)
        assert rated.best >= Order(decode(before), before).confidence - 1e-6
