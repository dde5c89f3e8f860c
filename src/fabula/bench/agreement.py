"""Human ratings: how far judges agree, and which metric follows their judgement best.

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
_OWN = ("item", "judge", "rating", "n", "text", "system")


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """``values`` [items, judges], not a number where a judge gave none."""

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
    given: dict[tuple[str, str], float] = {}
    about: dict[str, dict[str, Any]] = {}
    for record in read_records(path):
        try:
            item, judge = str(record.data["item"]), str(record.data["judge"])
            rating = _number(record.data["rating"], "rating")
            rest = {key: value for key, value in record.data.items() if key not in _OWN[:3]}
            facts = {
                key: str(value) if key in ("text", "system") else _number(value, key)
                for key, value in rest.items()
            }
        except KeyError as error:
            raise InputError(f"{error} is missing", path=path, line=record.line) from error
        except ValueError as error:
            raise InputError(str(error), path=path, line=record.line) from error
        if (item, judge) in given:
            problem = f"judge {judge!r} has rated item {item!r} already"
            raise InputError(problem, path=path, line=record.line)
        known = about.setdefault(item, facts)
        if not _same(known, facts):
            problem = f"item {item!r} has other values here than on an earlier line"
            raise InputError(problem, path=path, line=record.line)
        given[item, judge] = rating
    rated = {item for (item, _), rating in given.items() if not math.isnan(rating)}
    items = [item for item in about if item in rated]
    if not items:
        raise InputError("holds no ratings", path=path)
    return _ratings(items, given, about)


def _ratings(
    items: Sequence[str],
    given: Mapping[tuple[str, str], float],
    about: Mapping[str, Mapping[str, Any]],
) -> Ratings:
    judges = sorted({judge for _, judge in given})
    values = np.array([[given.get((i, j), math.nan) for j in judges] for i in items])
    names = list(dict.fromkeys(name for i in items for name in about[i] if name not in _OWN))
    lengths = np.array([about[i].get("n", math.nan) for i in items])
    return Ratings(
        items=tuple(items),
        judges=tuple(judges),
        values=values,
        metrics={name: np.array([about[i].get(name, math.nan) for i in items]) for name in names},
        lengths=None if np.isnan(lengths).all() else lengths,
        texts=tuple(about[i].get("text", i) for i in items),
        systems=tuple(about[i].get("system", "") for i in items),
    )


def _number(value: Any, name: str) -> float:
    """A number; nothing, as an empty cell, is not a number."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return math.nan
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.inf
    if math.isinf(found):
        raise ValueError(f"{name!r} is {value!r}, not a number")
    return found


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        one[key] == other[key] or (one[key] != one[key] and other[key] != other[key]) for key in one
    )


# Agreement


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's correlation over the pairs that both have; not a number if one never varies."""
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def krippendorff_alpha(values: ArrayLike) -> float:
    """Krippendorff's alpha for interval data, 1 - observed / expected disagreement.

    ``values`` [items, judges]; what is not a number was not rated. An item of m ratings adds its
    squared differences over m - 1; items with a single rating are left out.

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
        return math.nan  # nothing varies: there is no disagreement to be expected
    observed = (_squares(table, numbers) / (numbers - 1)).sum()
    return float(1 - observed / expected)


def _squares(rows: Floats, numbers: NDArray[np.int64]) -> Floats:
    """Squared differences over all ordered pairs of each row: 2 n sum (x - mean)^2."""
    centred = rows - np.nansum(rows, axis=1, keepdims=True) / numbers[:, None]
    return np.asarray(2 * numbers * np.nansum(centred**2, axis=1))


def agree(ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Any]:
    """How far judges agree.

    ``pearson`` is the paper's: each judge with the mean of all, the judge included, which flatters;
    ``leave_one_out`` takes the mean of the others. The interval of alpha resamples whole texts.
    """
    values = ratings.values
    with_all, with_others = [], []
    for judge in range(values.shape[1]):
        own = values[:, judge]
        others = np.delete(values, judge, axis=1)
        known = ~np.isnan(others).all(axis=1)
        rest = np.full(len(own), math.nan)
        rest[known] = np.nanmean(others[known], axis=1)
        with_all.append(pearson(own, ratings.means))
        with_others.append(pearson(own, rest))
    alpha = krippendorff_alpha(values)
    draws = [krippendorff_alpha(values[rows]) for rows in _draws(ratings.texts, resamples, seed)]
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
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _draws(clusters: Sequence[str], resamples: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """Rows of whole clusters, drawn with replacement."""
    names, member = np.unique(np.array(clusters), return_inverse=True)
    rows = [np.flatnonzero(member == cluster) for cluster in range(len(names))]
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        yield np.concatenate([rows[c] for c in rng.integers(0, len(names), len(names))])


# Metrics against ratings


@dataclass(frozen=True, slots=True)
class Fit:
    """The regression of mean ratings on one metric."""

    metric: str
    items: int
    r2: float
    interval: Interval
    correlation: float
    slope: float
    intercept: float
    given_length: float | None  # partial correlation given n


def fit_metrics(ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> list[Fit]:
    """Each metric's R^2 with an interval from resampled texts, the best first."""
    drawn = list(_draws(ratings.texts, resamples, seed))
    fits = []
    for name, scores in ratings.metrics.items():
        r = pearson(scores, ratings.means)
        draws = np.array([pearson(scores[rows], ratings.means[rows]) ** 2 for rows in drawn])
        known = ~np.isnan(scores)
        slope, intercept = math.nan, math.nan
        if not math.isnan(r):
            slope = r * float(np.std(ratings.means[known]) / np.std(scores[known]))
            intercept = float(ratings.means[known].mean()) - slope * float(scores[known].mean())
        partial = None
        if ratings.lengths is not None:
            partial = partial_correlation(scores, ratings.means, ratings.lengths)
        interval = percentiles(draws, r * r)
        fits.append(Fit(name, int(known.sum()), r * r, interval, r, slope, intercept, partial))
    return sorted(fits, key=lambda fit: -fit.r2 if not math.isnan(fit.r2) else math.inf)


def partial_correlation(first: ArrayLike, second: ArrayLike, given: ArrayLike) -> float:
    """The correlation of two columns with what both owe to a third taken out.

    >>> round(partial_correlation([1, 2, 3, 5], [2, 1, 4, 5], [1, 1, 2, 2]), 4)
    0.3162
    """
    columns = [np.asarray(column, dtype=float) for column in (first, second, given)]
    known = ~np.isnan(np.array(columns)).any(axis=0)
    x, y, z = (column[known] for column in columns)
    xy, xz, yz = pearson(x, y), pearson(x, z), pearson(y, z)
    if math.isnan(xz) or math.isnan(yz):
        return xy  # all of one length: nothing to take out
    below = math.sqrt(max(0.0, (1 - xz**2) * (1 - yz**2)))
    return (xy - xz * yz) / below if below else math.nan


def williams(r12: float, r13: float, r23: float, n: int) -> tuple[float, float]:
    """Williams' test of two correlations that share variable 1: t (n - 3 degrees) and two-sided p.

    t = (r12 - r13) sqrt((n-1)(1+r23) / (2 (n-1)/(n-3) K + (r12+r13)^2/4 (1-r23)^3)), with
    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23. Positive t: metric 2 follows 1 better than 3.
    """
    from scipy.special import stdtr

    if n < 4 or any(map(math.isnan, (r12, r13, r23))):
        return math.nan, math.nan
    k = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    below = 2 * (n - 1) / (n - 3) * k + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if below <= 0:
        return (0.0, 1.0) if r12 == r13 else (math.copysign(math.inf, r12 - r13), 0.0)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return t, float(2 * stdtr(n - 3, -abs(t)))


def compare_metrics(ratings: Ratings) -> list[dict[str, Any]]:
    """Williams' test for every two metrics, Holm-corrected over all."""
    from fabula.core.stats import holm

    found: list[dict[str, Any]] = []
    for first, second in combinations(ratings.metrics, 2):
        one, two = ratings.metrics[first], ratings.metrics[second]
        both = ~(np.isnan(one) | np.isnan(two))
        means = ratings.means[both]
        rs = pearson(means, one[both]), pearson(means, two[both]), pearson(one[both], two[both])
        t, p = williams(*rs, int(both.sum()))
        found.append({"first": first, "second": second, "t": t, "p": p})
    corrected = holm([1.0 if math.isnan(row["p"]) else float(row["p"]) for row in found])
    return [{**row, "holm": value} for row, value in zip(found, corrected, strict=True)]
