"""Human ratings: inter-judge agreement, and which metric correlates best with the ratings.

Rows are ``item, judge, rating`` and, the same on every row of an item, metrics by name (``tau``,
``WLCS-l`` ...), ``n`` (its length), ``text`` (what it was made from: items of one text are not
independent) and ``system`` (who made it).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fabula.core.stats import RESAMPLES, Interval, percentiles
from fabula.errors import InputError
from fabula.text.io.records import read_records

__all__ = [
    "Fit",
    "Ratings",
    "agree",
    "compare_metrics",
    "fit_metrics",
    "krippendorff_alpha",
    "partial_correlation",
    "pearson",
    "read_ratings",
    "williams",
]

Floats = NDArray[np.float64]
_COLUMNS = ("item", "judge", "rating", "n", "text", "system")


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of items by judges: ``values`` [items, judges], NaN where a judge gave none."""

    items: tuple[str, ...]
    judges: tuple[str, ...]
    values: Floats
    metrics: dict[str, Floats]
    lengths: Floats | None
    texts: tuple[str, ...]
    systems: tuple[str, ...]

    @property
    def means(self) -> Floats:
        return np.asarray(np.nanmean(self.values, axis=1))


def read_ratings(path: str | PathLike[str]) -> Ratings:
    """Ratings from CSV, JSONL or Parquet; a wrong row is an error with its line."""
    rating_of: dict[tuple[str, str], float] = {}
    facts_of: dict[str, dict[str, Any]] = {}
    for record in read_records(path):
        try:
            item, judge = str(record.data["item"]), str(record.data["judge"])
            rating = _number(record.data["rating"], "rating")
            rest = {key: value for key, value in record.data.items() if key not in _COLUMNS[:3]}
            facts = {
                key: str(value) if key in ("text", "system") else _number(value, key)
                for key, value in rest.items()
            }
        except KeyError as error:
            raise InputError(f"{error} is missing", path=path, line=record.line) from error
        except ValueError as error:
            raise InputError(str(error), path=path, line=record.line) from error
        if (item, judge) in rating_of:
            problem = f"judge {judge!r} has rated item {item!r} already"
            raise InputError(problem, path=path, line=record.line)
        first_facts = facts_of.setdefault(item, facts)
        if not _same(first_facts, facts):
            problem = f"item {item!r} has other values here than on an earlier line"
            raise InputError(problem, path=path, line=record.line)
        rating_of[item, judge] = rating
    rated = {item for (item, _), rating in rating_of.items() if not math.isnan(rating)}
    items = [item for item in facts_of if item in rated]
    if not items:
        raise InputError("holds no ratings", path=path)
    return _ratings(items, rating_of, facts_of)


def _ratings(
    items: Sequence[str],
    rating_of: Mapping[tuple[str, str], float],
    facts_of: Mapping[str, Mapping[str, Any]],
) -> Ratings:
    judges = sorted({judge for _, judge in rating_of})
    values = np.array([[rating_of.get((i, j), math.nan) for j in judges] for i in items])
    names = list(dict.fromkeys(name for i in items for name in facts_of[i] if name not in _COLUMNS))
    lengths = np.array([facts_of[i].get("n", math.nan) for i in items])
    return Ratings(
        items=tuple(items),
        judges=tuple(judges),
        values=values,
        metrics={
            name: np.array([facts_of[i].get(name, math.nan) for i in items]) for name in names
        },
        lengths=None if np.isnan(lengths).all() else lengths,
        texts=tuple(facts_of[i].get("text", i) for i in items),
        systems=tuple(facts_of[i].get("system", "") for i in items),
    )


def _number(value: Any, name: str) -> float:
    """Parse a number; an empty cell is NaN."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"{name!r} is {value!r}, not a number")
    return number


def _same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        first[key] == second[key] or (first[key] != first[key] and second[key] != second[key])
        for key in first
    )


# Agreement


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's correlation over pairs without NaN; NaN if either side is constant."""
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def krippendorff_alpha(values: ArrayLike) -> float:
    """Krippendorff's alpha for interval data, 1 - observed / expected disagreement.

    ``values`` [items, judges]; NaN is not rated. An item of m ratings adds its squared differences
    over m - 1; items with a single rating are left out (Krippendorff 2004, chapter 11).

    >>> krippendorff_alpha([[1, 1], [2, 2], [3, 3]])
    1.0
    """
    table = np.asarray(values, dtype=float)
    numbers = (~np.isnan(table)).sum(axis=1)
    table, numbers = table[numbers > 1], numbers[numbers > 1]
    pooled = table[~np.isnan(table)]
    total = len(pooled)
    expected = _squares(pooled[None], np.array([total]))[0] / (total - 1) if total > 1 else 0.0
    if expected == 0:
        return math.nan  # constant ratings: expected disagreement is zero
    observed = (_squares(table, numbers) / (numbers - 1)).sum()
    return float(1 - observed / expected)


def _squares(rows: Floats, numbers: NDArray[np.int64]) -> Floats:
    """Squared differences over all ordered pairs of each row: 2 n sum (x - mean)^2."""
    centred = rows - np.nansum(rows, axis=1, keepdims=True) / numbers[:, None]
    return np.asarray(2 * numbers * np.nansum(centred**2, axis=1))


def agree(ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Any]:
    """Inter-judge agreement: mean Pearson and Krippendorff's alpha with a bootstrap interval.

    ``pearson`` is the paper's: each judge against the mean of all, that judge included, which is
    biased upwards; ``leave_one_out`` uses the mean of the others. The bootstrap resamples texts.
    """
    values = ratings.values
    with_all, with_others = [], []
    for judge in range(values.shape[1]):
        own = values[:, judge]
        others = np.delete(values, judge, axis=1)
        rated = ~np.isnan(others).all(axis=1)
        others_mean = np.full(len(own), math.nan)
        others_mean[rated] = np.nanmean(others[rated], axis=1)
        with_all.append(pearson(own, ratings.means))
        with_others.append(pearson(own, others_mean))
    alpha = krippendorff_alpha(values)
    draws = [
        krippendorff_alpha(values[rows])
        for rows in _cluster_resamples(ratings.texts, resamples, seed)
    ]
    interval = percentiles(np.array(draws), alpha)
    return {
        "items": len(ratings.items),
        "judges": len(ratings.judges),
        "ratings": int((~np.isnan(values)).sum()),
        "pearson": _mean(with_all),
        "leave_one_out": _mean(with_others),
        "alpha": {"value": alpha, "low": interval.low, "high": interval.high},
    }


def _mean(values: Iterable[float]) -> float:
    numbers = [value for value in values if not math.isnan(value)]
    return sum(numbers) / len(numbers) if numbers else math.nan


def _cluster_resamples(
    clusters: Sequence[str], resamples: int, seed: int
) -> Iterable[NDArray[np.int64]]:
    """Cluster bootstrap: row indices of whole clusters drawn with replacement."""
    names, member = np.unique(np.array(clusters), return_inverse=True)
    rows = [np.flatnonzero(member == cluster) for cluster in range(len(names))]
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        yield np.concatenate([rows[c] for c in rng.integers(0, len(names), len(names))])


# Metrics against ratings


@dataclass(frozen=True, slots=True)
class Fit:
    """Linear regression of mean ratings on one metric."""

    metric: str
    items: int
    r2: float
    interval: Interval
    correlation: float
    slope: float
    intercept: float
    given_length: float | None  # partial correlation given n


def fit_metrics(ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> list[Fit]:
    """Each metric's R^2 with mean ratings and its cluster-bootstrap interval, best first."""
    resampled = list(_cluster_resamples(ratings.texts, resamples, seed))
    fits = []
    for name, scores in ratings.metrics.items():
        r = pearson(scores, ratings.means)
        draws = np.array([pearson(scores[rows], ratings.means[rows]) ** 2 for rows in resampled])
        scored = ~np.isnan(scores)
        slope, intercept = math.nan, math.nan
        if not math.isnan(r):
            slope = r * float(np.std(ratings.means[scored]) / np.std(scores[scored]))
            intercept = float(ratings.means[scored].mean()) - slope * float(scores[scored].mean())
        partial = None
        if ratings.lengths is not None:
            partial = partial_correlation(scores, ratings.means, ratings.lengths)
        interval = percentiles(draws, r * r)
        fits.append(Fit(name, int(scored.sum()), r * r, interval, r, slope, intercept, partial))
    return sorted(fits, key=lambda fit: -fit.r2 if not math.isnan(fit.r2) else math.inf)


def partial_correlation(first: ArrayLike, second: ArrayLike, given: ArrayLike) -> float:
    """Partial correlation of two columns, controlling for a third.

    >>> round(partial_correlation([1, 2, 3, 5], [2, 1, 4, 5], [1, 1, 2, 2]), 4)
    0.3162
    """
    columns = [np.asarray(column, dtype=float) for column in (first, second, given)]
    complete = ~np.isnan(np.array(columns)).any(axis=0)
    x, y, z = (column[complete] for column in columns)
    xy, xz, yz = pearson(x, y), pearson(x, z), pearson(y, z)
    if math.isnan(xz) or math.isnan(yz):
        return xy  # constant control variable: the plain correlation
    denominator = math.sqrt(max(0.0, (1 - xz**2) * (1 - yz**2)))
    return (xy - xz * yz) / denominator if denominator else math.nan


def williams(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """Williams' test of two correlations that share variable 1: t (n - 3 degrees) and two-sided p.

    t = (r12 - r13) sqrt((n-1)(1+r23) / (2 (n-1)/(n-3) K + (r12+r13)^2/4 (1-r23)^3)), with
    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23. Positive t: metric 2 follows 1 better than 3.
    """
    from scipy.special import stdtr

    if n < 4 or any(map(math.isnan, (r12, r13, r23))):
        return math.nan, math.nan
    k = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    denominator = 2 * (n - 1) / (n - 3) * k + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if denominator <= 0:
        return (0.0, 1.0) if r12 == r13 else (math.copysign(math.inf, r12 - r13), 0.0)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / denominator)
    return t, float(2 * stdtr(n - 3, -abs(t)))


def compare_metrics(ratings: Ratings) -> list[dict[str, Any]]:
    """Williams' test for every two metrics, Holm-corrected over all."""
    from fabula.core.stats import holm

    tests: list[dict[str, Any]] = []
    for first, second in combinations(ratings.metrics, 2):
        x, y = ratings.metrics[first], ratings.metrics[second]
        both = ~(np.isnan(x) | np.isnan(y))
        means = ratings.means[both]
        rs = pearson(means, x[both]), pearson(means, y[both]), pearson(x[both], y[both])
        t, p = williams(*rs, int(both.sum()))
        tests.append({"first": first, "second": second, "t": t, "p": p})
    corrected = holm([1.0 if math.isnan(row["p"]) else float(row["p"]) for row in tests])
    return [{**row, "holm": value} for row, value in zip(tests, corrected, strict=True)]
