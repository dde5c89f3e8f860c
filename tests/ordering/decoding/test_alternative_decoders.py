from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.ordering.decoding.alternative_decoders import beam_search, held_karp
from fabula.ordering.decoding.kemeny import gains, kemeny


def random_gains(n: int, seed: int) -> np.ndarray:
    return gains(np.random.default_rng(seed).random((n, n)))


def path_worth(order: tuple[int, ...], gain: np.ndarray) -> float:
    return float(sum(gain[one, two] for one, two in pairwise(order)))


@pytest.mark.parametrize("seed", range(6))
def test_held_karp_is_the_best_path(seed: int) -> None:
    gain = random_gains(6, seed)
    best = max(path_worth(order, gain) for order in permutations(range(6)))
    assert path_worth(held_karp(gain), gain) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_beam_is_exact_and_a_narrow_one_still_an_order(seed: int) -> None:
    gain = random_gains(6, seed)
    assert beam_search(gain, width=64) == kemeny(gain)
    assert sorted(beam_search(gain, width=1)) == list(range(6))


def test_nothing_one_and_too_many() -> None:
    assert held_karp(np.zeros((0, 0))) == beam_search(np.zeros((0, 0))) == ()
    assert held_karp(np.zeros((1, 1))) == beam_search(np.zeros((1, 1))) == (0,)
    with pytest.raises(UsageError, match="up to 16"):
        held_karp(np.zeros((17, 17)))
