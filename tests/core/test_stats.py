from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.core.stats import (
    bootstrap,
    detectable_difference,
    detectable_share,
    holm,
    mcnemar,
    paired_bootstrap,
    ratio,
    resample,
    wilson,
)
from fabula.errors import UsageError

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)
ps = st.lists(st.floats(0, 1), max_size=12)


def test_wilson_known_values() -> None:
    # By hand: z² = 3.841459; 8/10: centre .8 + .192073 = .992073, reach
    # 1.959964 · sqrt(.016 + .009604) = .313615, over 1.384146: (.490162, .943318).
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    # Nothing right: (0, z² / (n + z²)) = 3.841459 / 13.841459.
    assert wilson(0, 10) == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_agrees_with_scipy() -> None:
    from scipy.stats import binomtest

    for successes, n in [(1, 3), (40, 100), (999, 1000)]:
        theirs = binomtest(successes, n).proportion_ci(method="wilson")
        assert wilson(successes, n) == pytest.approx((theirs.low, theirs.high))


@given(st.integers(0, 400), st.integers(1, 200))
def test_wilson_holds_the_share(halves: int, n: int) -> None:
    successes = min(halves / 2, n)
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1


def test_wilson_refuses_more_successes_than_trials() -> None:
    with pytest.raises(UsageError, match="between 0 and n"):
        wilson(11, 10)


@settings(max_examples=40, deadline=None)
@given(scores)
def test_bootstrap_holds_the_mean(values: list[float]) -> None:
    low, high = bootstrap(values, resamples=50)
    assert low <= ratio(values) <= high


def test_bootstrap_is_seeded() -> None:
    values = np.linspace(0, 1, 50)
    assert bootstrap(values, seed=1) == bootstrap(values, seed=1)
    assert bootstrap(values, seed=1) != bootstrap(values, seed=2)


def test_bootstrap_matches_the_normal_interval_on_many_items() -> None:
    values = np.random.default_rng(3).normal(size=2000)
    reach = 1.96 * values.std() / math.sqrt(len(values))
    low, high = bootstrap(values)
    assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=0.005)


def test_bootstrap_of_a_ratio_weighs_items_by_their_count() -> None:
    # Every item has the ratio 1/2, however long: nothing can vary.
    assert bootstrap([1, 2, 50], [2, 4, 100]) == (0.5, 0.5)
    assert ratio([1, 0], [1, 3]) == 0.25


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    samples = rng.beta(2, 3, size=(200, 60))  # the mean is 0.4
    hits = sum(low <= 0.4 <= high for low, high in (bootstrap(s, resamples=400) for s in samples))
    assert 0.88 <= hits / len(samples) <= 0.99


def test_clusters_widen_the_interval_of_copies() -> None:
    values = np.random.default_rng(1).random(30)
    alone = bootstrap(values)
    copied = bootstrap(np.repeat(values, 10), clusters=np.repeat(np.arange(30), 10).tolist())
    naive = bootstrap(np.repeat(values, 10))
    assert copied == pytest.approx(alone, abs=1e-12)
    assert naive.high - naive.low < (alone.high - alone.low) / 2


def test_many_items_are_resampled_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).random(40)
    whole = resample(values, resamples=64)
    monkeypatch.setattr("fabula.core.stats.CELLS", 160)
    assert resample(values, resamples=64) == pytest.approx(whole)


def test_resampling_what_was_never_counted_is_not_a_number() -> None:
    low, high = bootstrap([0.0, 0.0], [0.0, 0.0])
    assert math.isnan(low) and math.isnan(high)
    assert math.isnan(ratio([0.0], [0.0]))


def test_resample_refuses_shapes_that_do_not_fit() -> None:
    with pytest.raises(UsageError, match="no items"):
        resample([])
    with pytest.raises(UsageError, match="counts"):
        resample([1, 2], [1])
    with pytest.raises(UsageError, match="cluster"):
        resample([1, 2], clusters=["a"])


def test_paired_bootstrap_sees_a_small_steady_gain() -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(300)
    gain = paired_bootstrap(hard + 0.02 + rng.normal(0, 0.01, 300), hard)
    assert gain.value == pytest.approx(0.02, abs=0.002)
    assert 0 < gain.low < gain.value < gain.high < 0.03
    assert gain.p == pytest.approx(2 / 2001)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_paired_bootstrap_is_antisymmetric(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    one = paired_bootstrap(first, second, resamples=60)
    other = paired_bootstrap(second, first, resamples=60)
    assert one.value == pytest.approx(-other.value)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)
    assert one.low <= one.value <= one.high


def test_paired_bootstrap_rarely_finds_what_is_not_there() -> None:
    rng = np.random.default_rng(5)
    found = sum(
        paired_bootstrap(rng.random(50), rng.random(50), resamples=300).p < 0.05 for _ in range(150)
    )
    assert found <= 18  # 7.5 expected; four standard deviations are 11


def test_mcnemar_known_values() -> None:
    # By hand: b=1, c=9: 2 · (C(10,0) + C(10,1)) / 2^10 = 22 / 1024.
    assert mcnemar(1, 9) == pytest.approx(22 / 1024)
    # b=0, c=5: 2 / 2^5. No discordant item: no evidence.
    assert mcnemar(0, 5) == pytest.approx(2 / 32)
    assert mcnemar(0, 0) == 1.0


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_symmetric_and_a_binomial_test(b: int, c: int) -> None:
    from scipy.stats import binomtest

    assert mcnemar(b, c) == mcnemar(c, b)
    if b + c:
        assert mcnemar(b, c) == pytest.approx(binomtest(b, b + c).pvalue)


def test_holm_known_values() -> None:
    # By hand, sorted .005 .01 .03 .04 times 4 3 2 1: .02 .03 .06 .04, then the running maximum.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(ps)
def test_holm_never_lowers_a_p_nor_changes_their_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(p <= c <= 1 for p, c in zip(values, corrected, strict=True))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert all(corrected[a] <= corrected[b] for a, b in pairwise(order))


def test_detectable_share_is_found_with_the_promised_power() -> None:
    from scipy.stats import binom

    n, baseline = 1000, 0.5
    gain = detectable_share(n, baseline)
    # The formula put forward: n = ((z1 sqrt(p0 q0) + z2 sqrt(p1 q1)) / gain)².
    share = baseline + gain
    needed = ((1.959964 * 0.5 + 0.841621 * math.sqrt(share * (1 - share))) / gain) ** 2
    assert needed == pytest.approx(n, rel=1e-5)
    threshold = math.ceil(n * (baseline + 1.959964 * math.sqrt(0.25 / n)))
    assert binom.sf(threshold - 1, n, share) == pytest.approx(0.8, abs=0.02)


def test_detectable_share_of_too_few_items_is_out_of_reach() -> None:
    assert detectable_share(2, 0.9) == math.inf
    with pytest.raises(UsageError, match="baseline"):
        detectable_share(10, 1.0)


def test_detectable_difference_known_value() -> None:
    # (1.959964 + .841621) · .5 / sqrt(400) = .0700396.
    assert detectable_difference(400, 0.5) == pytest.approx(0.0700396, abs=1e-7)
    with pytest.raises(UsageError, match="positive"):
        detectable_difference(0, 0.5)


@given(st.integers(10, 5000), st.floats(0.05, 0.9))
def test_more_items_show_smaller_effects(n: int, baseline: float) -> None:
    assert detectable_share(4 * n, baseline) <= detectable_share(n, baseline)
    assert detectable_difference(4 * n, 1.0) == pytest.approx(detectable_difference(n, 1.0) / 2)
