from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.errors import UnknownName, UsageError
from fabula.ordering import order
from fabula.ordering.decoding.constraints import OrderConstraints, constrained_order
from fabula.ordering.decoding.kemeny import decode, gains


def random_before(n: int, seed: int) -> np.ndarray:
    above = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    return above + np.tril(1 - above.T, -1) + np.eye(n) / 2


def worth(before: np.ndarray, order: tuple[int, ...]) -> float:
    return float(np.triu(gains(before)[np.ix_(order, order)], 1).sum())


def kept(rules: OrderConstraints, order: tuple[int, ...]) -> bool:
    place = {unit: at for at, unit in enumerate(order)}
    return (
        (rules.first is None or order[0] == rules.first)
        and (rules.last is None or order[-1] == rules.last)
        and all(place[one] < place[two] for one, two in rules.before)
        and all(
            max(place[u] for u in block) - min(place[u] for u in block) == len(block) - 1
            for block in rules.blocks
        )
    )


RULES = [
    OrderConstraints(first=3),
    OrderConstraints(last=0),
    OrderConstraints(first=4, last=1, before=((2, 0),)),
    OrderConstraints(before=((5, 0), (0, 3))),
    OrderConstraints(blocks=((1, 4, 5),)),
    OrderConstraints(first=4, blocks=((1, 4), (0, 2)), before=((3, 0),)),
    OrderConstraints(blocks=((0, 5), (1, 2)), before=((5, 1), (2, 3))),
]


@settings(max_examples=12)
@given(st.sampled_from(RULES), st.integers(0, 500))
def test_the_best_of_the_orders_that_keep_the_rules(rules: OrderConstraints, seed: int) -> None:
    before = random_before(6, seed)
    allowed = [order for order in permutations(range(6)) if kept(rules, order)]
    found = constrained_order(before, rules)
    assert kept(rules, found)
    assert worth(before, found) == pytest.approx(max(worth(before, o) for o in allowed), abs=1e-6)


@pytest.mark.parametrize("decoder", ["kemeny", "search", "beam", "held-karp"])
@pytest.mark.parametrize("rules", RULES)
def test_every_decoder_keeps_the_rules(rules: OrderConstraints, decoder: str) -> None:
    found = constrained_order(random_before(6, 1), rules, decoder)
    assert sorted(found) == list(range(6)) and kept(rules, found)


def test_sure_pairs_of_blocks_are_weighed_and_not_cut_off() -> None:
    # Three blocks in a circle, the last link of which is half as strong.
    odds = np.zeros((9, 9))
    for one, two, strength in ((0, 1, 3.0), (1, 2, 3.0), (2, 0, 1.5)):
        odds[3 * one : 3 * one + 3, 3 * two : 3 * two + 3] = strength
    before = 1 / (1 + np.exp(odds.T - odds))
    for shown in permutations(range(3)):
        units = [3 * block + i for block in shown for i in range(3)]
        rules = OrderConstraints(blocks=((0, 1, 2), (3, 4, 5), (6, 7, 8)))
        found = constrained_order(before[np.ix_(units, units)], rules)
        assert [units[unit] for unit in found] == list(range(9))


def test_rules_hold_in_long_texts_too() -> None:
    rules = OrderConstraints(first=30, last=2, before=((9, 4), (4, 1)), blocks=((10, 20, 35),))
    found = constrained_order(random_before(40, 3), rules)
    assert sorted(found) == list(range(40)) and kept(rules, found)


@pytest.mark.parametrize(
    "rules",
    [
        OrderConstraints(before=((0, 1), (1, 0))),
        OrderConstraints(before=((0, 1), (1, 2), (2, 0))),
        OrderConstraints(before=((2, 2),)),
        OrderConstraints(first=1, last=1),
        OrderConstraints(first=1, before=((0, 1),)),
        OrderConstraints(last=1, before=((1, 3),)),
        # unit 2 would have to stand inside the block
        OrderConstraints(blocks=((0, 1),), before=((0, 2), (2, 1))),
        OrderConstraints(first=0, last=1, blocks=((0, 1),)),
    ],
)
def test_contradictory_rules_are_refused(rules: OrderConstraints) -> None:
    with pytest.raises(UsageError, match="contradict"):
        rules.check(4)


def test_units_that_do_not_exist_and_blocks_that_overlap_are_refused() -> None:
    with pytest.raises(UsageError, match="no unit 9"):
        OrderConstraints(first=8).check(4)
    with pytest.raises(UsageError, match="no unit 0"):
        OrderConstraints(before=((-1, 2),)).check(4)
    with pytest.raises(UsageError, match="two blocks"):
        OrderConstraints(blocks=((0, 1), (1, 2))).check(4)


def test_no_rules_and_a_block_of_everything_change_nothing() -> None:
    before = random_before(7, 5)
    assert not OrderConstraints()
    assert constrained_order(before, OrderConstraints()) == decode(before)
    assert constrained_order(before, OrderConstraints(blocks=(tuple(range(7)),))) == decode(before)
    with pytest.raises(UnknownName, match="decoder"):
        decode(before, "fast")


def test_rules_may_be_lists_as_json_has_them() -> None:
    units = ["Then he left.", "Tom came.", "He ate."]
    assert order(units, before=[[0, 2]], model="random").order.index(0) < 2
    assert order(iter(units), blocks=[[0, 1]], model="random").order in permutations(range(3))
    for wrong in ({"before": [(0,)]}, {"before": (0, 2)}, {"blocks": [0, 1]}, {"first": 0.5}):
        with pytest.raises(UsageError):
            order(units, **wrong)
    for nothing in (None, "Tom came.", ["Tom came.", 2]):
        with pytest.raises(UsageError, match="order takes a list of strings"):
            order(nothing)  # type: ignore[arg-type]
