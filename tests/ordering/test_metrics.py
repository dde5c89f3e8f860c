from __future__ import annotations

import random
from itertools import permutations
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from fabula.errors import UsageError
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import METRICS, tau, wlcs
from fabula.task import Score

orders = st.integers(2, 12).flatmap(lambda n: st.tuples(*[st.permutations(range(n))] * 2))


def score(name: str, gold: tuple[int, ...], found: tuple[int, ...]) -> Score:
    n = len(gold)
    text = Text("a", tuple(f"Unit {i}." for i in range(n)), gold)
    return METRICS[name](text, Order(found, np.full((n, n), 0.5, dtype=np.float32)))


# The values of py-rouge with weight factor 1.2, as the ordering paper reports them.
@pytest.mark.parametrize(
    ("n", "perfect"),
    [
        (1, 1.0), (2, 0.9308), (3, 0.8906), (5, 0.8404), (8, 0.7950),
        (10, 0.7737), (20, 0.7091), (30, 0.6724),
    ],
)  # fmt: skip
def test_wlcs_of_the_right_order(n: int, perfect: float) -> None:
    assert wlcs(range(n), range(n)) == pytest.approx(perfect, abs=5e-5)


@pytest.mark.parametrize(("n", "worst"), [(2, 0.465), (5, 0.168), (10, 0.077)])
def test_wlcs_of_the_reversed_order(n: int, worst: float) -> None:
    assert wlcs(range(n), range(n)[::-1]) == pytest.approx(worst, abs=5e-4)


@pytest.mark.parametrize(("n", "expected"), [(2, 0.698), (5, 0.442)])
def test_wlcs_of_a_random_order(n: int, expected: float) -> None:
    assert mean(wlcs(range(n), order) for order in permutations(range(n))) == pytest.approx(
        expected, abs=5e-4
    )


def test_wlcs_drops_a_gold_unit_on_a_tie() -> None:
    # Of 0 2 1 either 0 1 or 0 2 can be kept. As py-rouge's, the trace drops the gold unit first:
    # 0 1 stay, a run of two. Precision (2^1.2 / 3^1.2)^(1/1.2), recall (2^1.2 / 3^1.44)^(1/1.2).
    precision, recall = 2 / 3, 2 / 3**1.2
    expected = 2 * precision * recall / (precision + recall)
    assert wlcs([0, 1, 2], [0, 2, 1]) == pytest.approx(expected)


@given(orders)
def test_wlcs_rewards_the_right_order_most(both: tuple[list[int], list[int]]) -> None:
    gold, found = both
    assert 0 < wlcs(gold, found) <= wlcs(gold, gold)


@given(orders)
def test_tau_as_scipy(both: tuple[list[int], list[int]]) -> None:
    gold, found = both
    theirs = kendalltau(np.argsort(gold), np.argsort(found)).statistic
    assert tau(gold, found) == pytest.approx(theirs)


def test_tau_by_hand() -> None:
    assert tau([2, 0, 1], [2, 0, 1]) == 1.0
    assert tau([2, 0, 1], [1, 0, 2]) == -1.0
    assert tau([0, 1, 2, 3], [0, 1, 3, 2]) == pytest.approx(2 / 3)
    assert tau([0], [0]) == 1.0


def test_pmr_and_acc() -> None:
    assert score("PMR", (2, 0, 1), (2, 0, 1)) == Score(1.0)
    assert score("PMR", (2, 0, 1), (0, 2, 1)) == Score(0.0)
    assert score("Acc", (2, 0, 1), (0, 2, 1)) == Score(1.0, 3.0)
    assert score("Acc", (2, 0, 1), (2, 0, 1)) == Score(3.0, 3.0)


@pytest.mark.parametrize("name", METRICS)
def test_one_unit_takes_no_part(name: str) -> None:
    assert score(name, (0,), (0,)) == Score(0.0, 0.0)


@pytest.mark.parametrize("name", METRICS)
def test_a_text_without_gold_cannot_be_scored(name: str) -> None:
    answer = Order((0, 1), np.full((2, 2), 0.5, dtype=np.float32))
    with pytest.raises(UsageError, match="text 'a' has no gold order"):
        METRICS[name](Text("a", ("One.", "Two.")), answer)


def test_names_of_units_do_not_matter() -> None:
    rng = random.Random(0)
    gold, found, names = (rng.sample(range(9), 9) for _ in range(3))
    renamed = [names[i] for i in gold], [names[i] for i in found]
    assert tau(*renamed) == tau(gold, found)
    assert wlcs(*renamed) == pytest.approx(wlcs(gold, found))
