"""The tests behind the verdict, on numbers worked out by other means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fabula.audit.item_table import ItemTable
from fabula.audit.probes.position import position_chi_square_p
from fabula.audit.stats.exchangeability import (
    apply_rule,
    binomial_p,
    detectable_accuracy,
    paired_t_test,
)
from fabula.audit.stats.options_classifier import evaluate_options_only, progressive_validation
from fabula.endings.items import Ending


def test_above_chance_is_the_binomial_tail() -> None:
    expected = stats.binomtest(60, 100, 0.5, alternative="greater").pvalue
    assert binomial_p(60, 100, 0.5) == pytest.approx(expected)
    assert binomial_p(40, 100, 0.5) == 1.0 and binomial_p(0, 0, 0.5) == 1.0


def test_mixed_chances_are_on_the_safe_side() -> None:
    rng = np.random.default_rng(0)
    chances = np.array([0.5] * 30 + [0.25] * 30)
    drawn = (rng.random((20_000, 60)) < chances).sum(axis=1)
    for count in (28, 30, 33):
        assert (drawn >= count).mean() <= binomial_p(count, 60, float(chances.mean())) + 0.01


@given(st.integers(20, 5000), st.sampled_from([0.5, 0.25]), st.integers(1, 1000))
def test_what_is_detectable_is_above_chance_and_more_items_see_more(
    n: int, chance: float, tests: int
) -> None:
    seen = detectable_accuracy(n, chance, tests)
    assert seen > chance
    assert detectable_accuracy(4 * n, chance, tests) < seen or np.isinf(seen)
    assert detectable_accuracy(n, chance, tests * 2) >= seen


def test_a_stated_effect_is_seen_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(1)
    seen = detectable_accuracy(1000, 0.5, 50)
    right = rng.binomial(1000, seen, size=400)
    found = np.mean([binomial_p(r, 1000, 0.5) * 50 <= 0.02 for r in right])
    assert found >= 0.92


def test_ties_count_their_share_and_do_not_decide() -> None:
    table = ItemTable(
        [
            Ending("a", (), ("x", "y"), 0),
            Ending("b", (), ("x", "y", "z"), 2),
            Ending("c", (), ("x", "y"), 1),
        ]
    )
    found = apply_rule(np.array([1.0, 1.0, 0.0, 2.0, 2.0, 0.0, 3.0]), table)
    assert found.accuracy == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert (found.right, found.decided, found.ties) == (1, 1, 2)


def test_paired_t_is_scipys() -> None:
    values = np.array([0.1, -0.4, 0.9, 0.3, 0.2])
    mean, low, high, p = paired_t_test(values)
    assert p == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert low < mean < high
    assert paired_t_test(np.zeros(5))[3] == 1.0


def test_position_p_is_the_chi_square_or_exact(items) -> None:
    table = ItemTable([Ending(str(i), (), ("x", "y"), int(i < 70)) for i in range(100)])
    assert position_chi_square_p(table) == pytest.approx(stats.binomtest(30, 100).pvalue)
    three = ItemTable([Ending(str(i), (), ("x", "y", "z"), int(i < 70)) for i in range(100)])
    assert position_chi_square_p(three) == pytest.approx(stats.chisquare([30, 70, 0]).pvalue)
    mixed = ItemTable([*table.items, *(Ending(f"k{i}", (), ("x", "y", "z"), 2) for i in range(9))])
    assert 0 < position_chi_square_p(mixed) < 0.01


def test_stages_are_binomial_under_the_null(items) -> None:
    """The exact law is the reason for stages: check mean and variance over label swaps."""
    table = ItemTable(items(80))
    _ = table.words, table.sentiment
    totals, tested = [], 0
    for seed in range(40):
        twin = table.with_random_gold(seed)
        outcome = evaluate_options_only(twin, seed=seed).staged
        tested = int((~np.isnan(outcome)).sum())
        totals.append(np.nansum(outcome))
    assert tested == 70
    assert abs(np.mean(totals) - tested / 2) < 4 * np.sqrt(tested / 4 / 40)
    assert 0.45 < np.var(totals) / (tested / 4) < 1.9


def test_a_classifier_learns_what_is_there(items) -> None:
    marked = [
        Ending(i.id, i.context, tuple(f"{o} indeed" if p == i.gold else o
                                      for p, o in enumerate(i.options)), i.gold)
        for i in items(200)
    ]  # fmt: skip
    learnt = evaluate_options_only(ItemTable(marked))
    assert learnt.accuracy > 0.95
    assert np.nanmean(in_stages_of(marked)) > 0.9
    assert evaluate_options_only(ItemTable(items(200))).accuracy < 0.65


def in_stages_of(items: list[Ending]) -> np.ndarray:
    from fabula.audit.stats.options_classifier import feature_matrix

    table = ItemTable(items)
    return progressive_validation(feature_matrix(table), table)
