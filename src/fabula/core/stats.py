"""Intervals, tests and power: pure functions on arrays.

A metric over many items is a ratio of sums, sum(total) / sum(count), as in ``fabula.task.Score``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fabula.errors import UsageError

__all__ = [
    "RESAMPLES",
    "Difference",
    "Interval",
    "bootstrap",
    "detectable_difference",
    "detectable_share",
    "difference",
    "holm",
    "mcnemar",
    "paired_bootstrap",
    "percentiles",
    "ratio",
    "resample",
    "wilson",
]

Floats = NDArray[np.float64]
RESAMPLES = 2_000
CELLS = 200_000  # weights held at once while resampling: they should stay in the cache


class Interval(NamedTuple):
    """Where a value lies, with the confidence asked for."""

    low: float
    high: float


class Difference(NamedTuple):
    """First minus second, with its interval and two-sided p."""

    value: float
    low: float
    high: float
    p: float


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a share.

    (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n), with p = successes / n. Half successes
    (ties) are welcome; they vary less than whole ones, so the interval is then on the wide side.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if not 0 <= successes <= n:
        raise UsageError(f"successes must lie between 0 and n = {n}, not {successes}")
    if n == 0:
        return Interval(0.0, 1.0)
    z = _z_two_sided(1 - confidence)
    share = successes / n
    centre = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # The ends are exact at 0 and n in theory; rounding may leave them 1e-17 on the wrong side.
    low, high = (centre - reach) / scale, (centre + reach) / scale
    return Interval(max(0.0, min(low, share)), min(1.0, max(high, share)))


def ratio(totals: ArrayLike, counts: ArrayLike | None = None) -> float:
    """sum(total) / sum(count); not a number when nothing was counted.

    >>> ratio([2, 1], [4, 2])
    0.5
    """
    total = math.fsum(np.asarray(totals, dtype=float).ravel())
    count = np.size(totals) if counts is None else math.fsum(np.asarray(counts, float).ravel())
    return total / count if count else math.nan


def resample(
    totals: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    clusters: Sequence[Any] | None = None,
) -> Floats:
    """Bootstrapped ratios of one or more models on the same items.

    ``totals`` and ``counts`` are (items,) or (items, models); the answer is (resamples, models).
    Each resample draws items (or whole clusters, where items are not independent) with
    replacement, the same for every model, so columns can be subtracted from each other.
    """
    over = np.asarray(totals, dtype=float)
    if len(over) == 0:
        raise UsageError("there are no items to resample")
    over = over.reshape(len(over), -1)  # (items, models)
    under = np.ones_like(over) if counts is None else np.asarray(counts, dtype=float)
    under = under.reshape(len(under), -1)
    if over.shape != under.shape:
        raise UsageError(f"totals are {over.shape} but counts are {under.shape}")
    both = np.hstack([over, under])
    if clusters is not None:
        both = _sums_by_cluster(both, clusters)
    n, columns = both.shape
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, columns))
    chunk = max(1, CELLS // n)
    for start in range(0, resamples, chunk):
        rows = min(chunk, resamples - start)
        drawn = rng.integers(0, n, size=(rows, n))
        drawn += np.arange(rows)[:, None] * n  # so that one bincount serves all rows
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        sums[start : start + rows] = weights.astype(float) @ both
    models = columns // 2
    with np.errstate(invalid="ignore", divide="ignore"):
        draws: Floats = sums[:, :models] / sums[:, models:]
    draws[~np.isfinite(draws)] = np.nan  # a resample in which nothing was counted
    return draws


def bootstrap(
    totals: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> Interval:
    """The percentile bootstrap interval of sum(total) / sum(count).

    >>> bootstrap([0.25, 0.25, 0.25])
    Interval(low=0.25, high=0.25)
    """
    draws = resample(totals, counts, resamples=resamples, seed=seed, clusters=clusters)
    return percentiles(draws[:, 0], ratio(totals, counts), confidence)


def paired_bootstrap(
    first_totals: ArrayLike,
    second_totals: ArrayLike,
    first_counts: ArrayLike | None = None,
    second_counts: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> Difference:
    """The difference of two models on the same items; see ``difference`` for interval and p.

    >>> paired_bootstrap([1, 0, 1], [1, 0, 1])
    Difference(value=0.0, low=0.0, high=0.0, p=1.0)
    """
    totals = np.column_stack([first_totals, second_totals])
    counts = np.column_stack(
        [
            np.ones(len(totals)) if counts is None else counts
            for counts in (first_counts, second_counts)
        ]
    )
    draws = resample(totals, counts, resamples=resamples, seed=seed, clusters=clusters)
    value = ratio(totals[:, 0], counts[:, 0]) - ratio(totals[:, 1], counts[:, 1])
    return difference(draws[:, 0], draws[:, 1], value, confidence)


def difference(first: Floats, second: Floats, value: float, confidence: float = 0.95) -> Difference:
    """The difference of two columns of ``resample``, observed as ``value``.

    The interval holds the middle percentiles of the resampled differences; p is the smallest
    alpha whose interval leaves out zero, 2·(1 + min(#d ≤ 0, #d ≥ 0)) / (1 + resamples).
    """
    draws = first - second
    draws = draws[~np.isnan(draws)]
    beyond = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    p = min(1.0, 2 * (1 + beyond) / (1 + len(draws)))
    return Difference(value, *percentiles(draws, value, confidence), p)


def percentiles(draws: Floats, value: float, confidence: float = 0.95) -> Interval:
    """The middle of bootstrap draws; draws that are not a number do not count."""
    draws = draws[~np.isnan(draws)]
    if len(draws) == 0 or math.isnan(value):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    # Constant scores differ from their own mean by rounding; an interval holds its estimate.
    return Interval(min(float(low), value), max(float(high), value))


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact McNemar test: two-sided p from the items that only one of two models got right.

    2·P(X ≤ min(b, c)) for X ~ Binomial(b + c, 1/2), at most 1.

    >>> mcnemar(1, 9)
    0.021484375
    """
    from scipy.special import bdtr

    either = only_first + only_second
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), either, 0.5)))


def holm(ps: Sequence[float], tests: int | None = None) -> list[float]:
    """Holm's step-down correction, in the order given.

    The i-th smallest of m values is multiplied by m - i (from 0), kept at least as large as the
    one before it, and at most 1. When only the smallest values are given, ``tests`` is m.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    tests = len(ps) if tests is None else tests
    corrected = [0.0] * len(ps)
    largest = 0.0
    for step, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min(1.0, (tests - step) * ps[index]))
        corrected[index] = largest
    return corrected


def detectable_share(
    n: int, baseline: float = 0.5, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest gain over a baseline share that n items can show.

    Solves n = ((z₁·sqrt(p₀q₀) + z₂·sqrt(p₁q₁)) / (p₁ - p₀))² for p₁ > p₀, z₁ = z(1 - alpha/2),
    z₂ = z(power), and returns p₁ - p₀; infinite when even a perfect score would not do.

    >>> round(detectable_share(1000), 3)
    0.044
    """
    from scipy.optimize import brentq

    if n < 1 or not 0 < baseline < 1:
        raise UsageError(f"n must be positive and 0 < baseline < 1, not {n} and {baseline}")
    z_alpha, z_power = _z_two_sided(alpha), NormalDist().inv_cdf(power)
    spread = z_alpha * math.sqrt(baseline * (1 - baseline))

    def surplus(share: float) -> float:
        needed = spread + z_power * math.sqrt(share * (1 - share))
        return math.sqrt(n) * (share - baseline) - needed

    if surplus(1.0) < 0:
        return math.inf
    return float(brentq(surplus, baseline, 1.0)) - baseline


def detectable_difference(
    n: int, spread: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest difference of two models that n common items can show.

    (z(1 - alpha/2) + z(power)) · spread / sqrt(n), where ``spread`` is the standard deviation of
    the per-item differences.

    >>> round(detectable_difference(400, 0.5), 3)
    0.07
    """
    if n < 1:
        raise UsageError(f"n must be positive, not {n}")
    return (_z_two_sided(alpha) + NormalDist().inv_cdf(power)) * spread / math.sqrt(n)


def _z_two_sided(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2)


def _sums_by_cluster(values: Floats, clusters: Sequence[Any]) -> Floats:
    if len(clusters) != len(values):
        raise UsageError(f"{len(clusters)} cluster names were given for {len(values)} items")
    _, member = np.unique(np.asarray(clusters), return_inverse=True)
    return np.column_stack([np.bincount(member, column) for column in values.T])
