from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.ordering.decoding.kemeny import EXACT_UP_TO, borda, decode, insertion_search, kemeny

Matrix = NDArray[np.float64]


def matrices(least: int, most: int) -> st.SearchStrategy[Matrix]:
    """P(i before j), with P(j before i) = 1 - P(i before j)."""

    def complete(upper: Matrix) -> Matrix:
        above = np.triu(upper, 1)
        return above + np.tril(1 - above.T, -1) + np.eye(len(upper)) / 2

    shares = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0])
    return st.integers(least, most).flatmap(
        lambda n: arrays.arrays(np.float64, (n, n), elements=shares).map(complete)
    )


def gains(before: Matrix) -> Matrix:
    logits = np.log(np.clip(before, 1e-6, 1 - 1e-6) / np.clip(1 - before, 1e-6, 1 - 1e-6))
    np.fill_diagonal(logits, 0)
    return logits


def worth(order: tuple[int, ...], gain: Matrix) -> float:
    """What an order gains over all its pairs."""
    return float(np.triu(gain[np.ix_(order, order)], 1).sum())


def chain(n: int, seed: int) -> tuple[tuple[int, ...], Matrix]:
    """A hidden order, and noisy probabilities that mostly agree with it."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    place = np.argsort(order)
    right = place[:, None] < place[None, :]
    noise = np.triu(rng.normal(0, 0.8, (n, n)), 1)
    logits = np.where(right, 1.0, -1.0) + noise - noise.T
    np.fill_diagonal(logits, 0)
    return tuple(order.tolist()), 1 / (1 + np.exp(-logits))


@settings(max_examples=60)
@given(matrices(1, 6))
def test_kemeny_is_the_best_of_all_orders(before: Matrix) -> None:
    gain = gains(before)
    best = max(worth(order, gain) for order in permutations(range(len(gain))))
    found = kemeny(gain)
    assert sorted(found) == list(range(len(gain)))
    assert worth(found, gain) == pytest.approx(best)
    assert worth(decode(before), gain) == pytest.approx(best)


@given(matrices(1, 9), st.randoms(use_true_random=False))
def test_insertion_search_is_never_worse_than_its_start(before: Matrix, rng: object) -> None:
    gain = gains(before)
    start = list(range(len(gain)))
    rng.shuffle(start)  # type: ignore[attr-defined]
    found = insertion_search(tuple(start), gain)
    assert sorted(found) == sorted(start)
    assert worth(found, gain) >= worth(tuple(start), gain) - 1e-6
    # A place of its own for each: no single unit can be moved for the better.
    for unit in found:
        rest = [other for other in found if other != unit]
        moved = [(*rest[:at], unit, *rest[at:]) for at in range(len(found))]
        assert max(worth(order, gain) for order in moved) <= worth(found, gain) + 1e-6


@pytest.mark.parametrize("n", [2, 5, EXACT_UP_TO, EXACT_UP_TO + 1, 40])
def test_a_clear_order_is_found(n: int) -> None:
    order = tuple(np.random.default_rng(n).permutation(n).tolist())
    place = np.argsort(order)
    before = np.where(place[:, None] < place[None, :], 0.9, 0.1)
    assert decode(before) == order
    assert borda(gains(before)) == order


@settings(max_examples=25)
@given(st.integers(0, 40), st.integers(0, 1000))
def test_decoding_gives_one_permutation_and_always_the_same(n: int, seed: int) -> None:
    _, before = chain(n, seed)
    found = decode(before)
    assert sorted(found) == list(range(n))
    assert decode(before.copy()) == found


def test_decoding_12_units_is_exact() -> None:
    assert EXACT_UP_TO >= 12
    for seed in range(5):
        hidden, before = chain(12, seed)
        gain = gains(before)
        exact = worth(decode(before), gain)
        assert exact >= worth(insertion_search(borda(gain), gain), gain) - 1e-6
        assert exact >= worth(hidden, gain) - 1e-6


def test_kemeny_has_an_end() -> None:
    with pytest.raises(UsageError, match="kemeny takes up to 20 units; there are 21"):
        decode(np.full((21, 21), 0.5), "kemeny")


def test_search_beyond_12_units_finds_nearly_the_best() -> None:
    for seed in range(5):
        hidden, before = chain(25, seed)
        assert worth(decode(before), gains(before)) >= worth(hidden, gains(before)) - 1e-6


def test_certainty_is_no_trouble_and_nothing_known_keeps_the_order_given() -> None:
    place = np.array([2, 0, 1])
    assert decode((place[:, None] < place[None, :]).astype(float)) == (1, 2, 0)
    assert decode(np.full((4, 4), 0.5)) == (0, 1, 2, 3)
    assert decode(np.full((30, 30), 0.5)) == tuple(range(30))
    assert decode(np.zeros((0, 0))) == ()
