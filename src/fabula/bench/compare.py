"""Compare saved runs: paired bootstrap, McNemar and Holm; leaderboards; per-item errors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from os import PathLike
from pathlib import Path

import numpy as np

from fabula.answer import AnswerList
from fabula.bench.align import aligned, common_ids, group_runs, same_data, shared_metric
from fabula.bench.runs.store import Run, find_runs, labels
from fabula.core.stats import (
    RESAMPLES,
    detectable_difference,
    difference,
    holm,
    mcnemar,
    ratio,
    resample,
)
from fabula.errors import UsageError

__all__ = [
    "LOWER_IS_BETTER",
    "Comparison",
    "ItemError",
    "LeaderboardRow",
    "best_first",
    "compare",
    "errors",
    "leaderboard",
    "leaderboard_rows",
]

ALPHA = 0.05
LOWER_IS_BETTER = frozenset({"VI", "mean_rank"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference of two models on the same items (first minus second), with p-values."""

    metric: str
    first: str
    second: str
    items: int
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_mcnemar: float | None  # only where every item is right or wrong
    p_holm: float  # McNemar's p if there is one, else the bootstrap's, corrected for all pairs
    detectable: float | None  # the smallest difference this many items show with 80% power

    @property
    def significant(self) -> bool:
        return self.p_holm < ALPHA


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One row of a leaderboard.

    Ranks are an interval: ``best`` counts the models that are significantly better,
    ``worst`` all that are not significantly worse.
    """

    task: str
    fingerprint: str
    metric: str
    model: str
    value: float
    low: float
    high: float
    best: int
    worst: int
    items: int
    folder: Path | None

    @property
    def rank(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


@dataclass(frozen=True, slots=True)
class ItemError:
    """An item the first run failed: its score, the other runs' scores, and which passed."""

    id: str
    score: float
    others: Mapping[str, float]
    rescued_by: tuple[str, ...]


def compare(
    runs: Sequence[Run] | str | PathLike[str], metric: str | None = None, *, seed: int = 0
) -> AnswerList[Comparison]:
    """Test every pair of runs on their common items: paired bootstrap and McNemar, Holm-corrected.

    ``runs`` are runs of ``evaluate``, or a folder of stored ones. ``metric`` defaults to the runs'
    first shared one.

    Pairs keep the order of ``runs``. Runs on different data cannot be paired and are refused.
    """
    if isinstance(runs, str | PathLike):
        runs = find_runs(runs)
    if len(runs) < 2:
        raise UsageError(f"comparing needs two runs or more, not {len(runs)}")
    same_data(runs)
    metric = shared_metric(runs, metric)
    names = labels(runs)
    totals, counts = aligned(runs, metric)
    pairs = list(combinations(range(len(runs)), 2))
    resamples = _enough_resamples(len(totals), len(pairs))
    draws = resample(totals, counts, resamples=resamples, seed=seed)
    ratios = [ratio(totals[:, i], counts[:, i]) for i in range(len(runs))]
    # Influence of each item on the ratio estimator (the count is random too), for its variance.
    influence = (totals - np.array(ratios) * counts) / counts.mean(axis=0)
    binary = (np.isin(totals, (0.0, 1.0)) & (counts == 1)).all(axis=0)

    bootstraps, mcnemar_ps = [], []
    for i, j in pairs:
        bootstraps.append(difference(draws[:, i], draws[:, j], ratios[i] - ratios[j]))
        only_first = int((totals[:, i] > totals[:, j]).sum())
        only_second = int((totals[:, i] < totals[:, j]).sum())
        mcnemar_ps.append(mcnemar(only_first, only_second) if binary[i] and binary[j] else None)
    corrected = holm(
        [
            bootstrap.p if p is None else p
            for bootstrap, p in zip(bootstraps, mcnemar_ps, strict=True)
        ]
    )
    rows = []
    for (i, j), bootstrap, p_mcnemar, p_holm in zip(
        pairs, bootstraps, mcnemar_ps, corrected, strict=True
    ):
        spread = float(np.std(influence[:, i] - influence[:, j]))
        rows.append(
            Comparison(
                metric=metric,
                first=names[i],
                second=names[j],
                items=len(totals),
                difference=bootstrap.value,
                low=bootstrap.low,
                high=bootstrap.high,
                p_bootstrap=bootstrap.p,
                p_mcnemar=p_mcnemar,
                p_holm=p_holm,
                # Without any difference there is no variance to estimate power from.
                detectable=detectable_difference(len(totals), spread) if spread > 0 else None,
            )
        )
    return AnswerList(rows, "comparisons", columns=[f.name for f in fields(Comparison)])


def leaderboard(runs: Sequence[Run], metric: str | None = None) -> list[LeaderboardRow]:
    """Runs ranked within each data set, best first; data sets in the order they come in."""
    rows = []
    for group in group_runs(runs):
        ranked = best_first(group, metric)
        rows += leaderboard_rows(ranked, compare(ranked, metric) if len(ranked) > 1 else [], metric)
    return rows


def best_first(runs: Sequence[Run], metric: str | None = None) -> list[Run]:
    """Runs on one data set, by their value; equal ones by name."""
    name = shared_metric(runs, metric)
    sign = -1 if name in LOWER_IS_BETTER else 1

    def key(run: Run) -> tuple[bool, float, str]:
        value = run.metrics[name].value
        return math.isnan(value), 0.0 if math.isnan(value) else -sign * value, run.model

    return sorted(runs, key=key)


def leaderboard_rows(
    ranked: Sequence[Run], pairs: Sequence[Comparison], metric: str | None = None
) -> list[LeaderboardRow]:
    """Leaderboard rows of runs sorted best first, from the comparisons of all their pairs."""
    name = shared_metric(ranked, metric)
    names = labels(ranked)
    # ``ranked`` is sorted, so the first of a pair is the better one.
    better = Counter(pair.second for pair in pairs if pair.significant)
    worse = Counter(pair.first for pair in pairs if pair.significant)
    return [
        LeaderboardRow(
            task=run.task,
            fingerprint=run.data["fingerprint"],
            metric=name,
            model=label,
            value=run.metrics[name].value,
            low=run.metrics[name].low,
            high=run.metrics[name].high,
            best=1 + better[label],
            worst=len(ranked) - worse[label],
            items=run.data["items"],
            folder=run.folder,
        )
        for label, run in zip(names, ranked, strict=True)
    ]


def errors(
    runs: Sequence[Run], *, below: float = 0.5, metric: str | None = None
) -> list[ItemError]:
    """Items the first run scores below the threshold ``below``, worst first, with the other scores.

    A run that scores above the threshold rescues the item; a score equal to it, such as a
    guesser's tie, neither fails nor rescues. For ``LOWER_IS_BETTER`` metrics, reversed.
    """
    if not runs:
        raise UsageError("errors needs at least one run")
    same_data(runs)
    metric = shared_metric(runs, metric)
    sign = -1 if metric in LOWER_IS_BETTER else 1
    totals, counts = aligned(runs, metric)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.where(counts > 0, totals / counts, np.nan)
    names = labels(runs)
    rows = []
    for identifier, (score, *other_scores) in zip(common_ids(runs), scores.tolist(), strict=True):
        if not sign * score < sign * below:
            continue
        others = dict(zip(names[1:], other_scores, strict=True))
        rescuers = tuple(name for name, other in others.items() if sign * other > sign * below)
        rows.append(ItemError(identifier, score, others, rescuers))
    return sorted(rows, key=lambda row: sign * row.score)


def _enough_resamples(items: int, pairs: int) -> int:
    """Number of bootstrap resamples such that Holm's correction cannot hide a clear difference.

    The smallest bootstrap p is 2 / resamples, and Holm multiplies it by the number of pairs: 100
    per pair let it fall to .02, which must be; 2,000 to .001, where it takes a few seconds at most.
    """
    affordable = 400_000_000 // items
    return max(RESAMPLES, 100 * pairs, min(2_000 * pairs, affordable))
