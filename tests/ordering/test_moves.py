from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.ordering.coherence import rate
from fabula.ordering.decoding.constraints import OrderConstraints
from fabula.ordering.items import Order
from fabula.ordering.moves import describe_moves, moved_units

ABC = ["Anna woke.", "She ate.", "She left.", "She came back.", "She slept."]


@given(st.permutations(range(7)))
def test_units_that_do_not_move_keep_their_order(order: list[int]) -> None:
    moved = moved_units(order)
    stay = [unit for unit in order if unit not in moved]
    assert stay == sorted(stay)
    assert (moved == set()) == (order == sorted(order))


def test_one_move_is_told_as_one() -> None:
    assert describe_moves(ABC, [0, 1, 2, 3, 4]) == "nothing moves"
    assert describe_moves(ABC, [4, 0, 1, 2, 3]) == "5 moves to the beginning, before 1: She slept."
    assert describe_moves(ABC, [0, 2, 3, 1, 4]) == "2 moves between 4 and 5: She ate."


def test_units_that_go_together_are_told_together() -> None:
    assert describe_moves(ABC, [3, 4, 0, 1, 2]).startswith("4-5 move to the beginning, before 1")
    assert describe_moves(["a " * 60, "b", "c"], [1, 2, 0]).endswith("...")


def probabilities(right: list[int]) -> np.ndarray:
    place = np.argsort(right)
    before = np.where(place[:, None] < place[None, :], 0.9, 0.1).astype(np.float32)
    np.fill_diagonal(before, 0.5)
    return before


def test_coherence_of_a_text_with_one_unit_out_of_place() -> None:
    right = [1, 2, 3, 0]  # the unit given first belongs last
    rated = rate(Order(tuple(right), probabilities(right)))
    assert rated.score == pytest.approx(0.5)
    assert rated.best == pytest.approx(0.9)
    assert rated.neighbours == pytest.approx((0.1, 0.9, 0.9))
    (move,) = rated.moves
    assert (move.unit, move.start, move.end) == (0, 0, 3)
    assert move.score == pytest.approx(0.9)


def test_a_good_text_needs_no_move_and_moves_are_limited() -> None:
    assert rate(Order((0, 1, 2), probabilities([0, 1, 2]))).moves == ()
    backwards = [4, 3, 2, 1, 0]
    order = Order(tuple(backwards), probabilities(backwards))
    assert len(rate(order, 2).moves) == 2
    scores = [move.score for move in rate(order, 9).moves]
    assert scores == sorted(scores) and scores[-1] == pytest.approx(0.9)


def test_a_move_never_lowers_the_score() -> None:
    before = probabilities([0, 1, 2, 3])
    before[0, 1] = before[0, 2] = 0.8
    before[0, 3] = 0.001  # its log-odds outweigh the two others, its probability does not
    lower = np.tril_indices(4, -1)
    before[lower] = 1 - before.T[lower]
    rated = rate(Order((0, 1, 2, 3), before))
    assert rated.moves == () and rated.best == rated.score
    rng = np.random.default_rng(0)
    for _ in range(50):
        some = rng.random((6, 6)) ** 3
        some = np.triu(some, 1) + np.tril(1 - some.T, -1)
        rated = rate(Order(tuple(range(6)), some.astype(np.float32)), 9)
        scores = [rated.score, *(move.score for move in rated.moves)]
        assert scores == sorted(scores) and rated.best >= scores[-1]


def test_no_move_breaks_one_rule_to_keep_another() -> None:
    before = probabilities([2, 0, 1])
    rules = OrderConstraints(first=0, before=((2, 1),))
    rated = rate(Order((0, 2, 1), before), 3, rules)
    assert [(move.unit, move.end) for move in rated.moves] == [(1, 2)]  # and not 2 to the front
    assert rated.best == rated.moves[-1].score
    assert rate(Order((), np.zeros((0, 0), dtype=np.float32)), 3, rules).moves == ()


def test_one_unit_is_coherent() -> None:
    rated = rate(Order((0,), np.full((1, 1), 0.5, dtype=np.float32)))
    assert (rated.score, rated.best, rated.neighbours, rated.moves) == (1.0, 1.0, (), ())
