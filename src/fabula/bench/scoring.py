"""Score stored answers by metric, and estimate each metric's value with a 95% interval."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fabula.bench.ablated_items import KEY
from fabula.bench.runs.store import Estimate, ItemResults
from fabula.core.stats import percentiles, ratio, resample, wilson
from fabula.errors import UnknownName, UsageError
from fabula.registry import metrics
from fabula.task import Task

__all__ = ["chosen_metrics", "estimates", "is_share", "score_items", "with_metrics"]


def with_metrics(task: Task[Any, Any]) -> Task[Any, Any]:
    """The task extended by metrics registered as ``task/name``."""
    prefix = f"{task.name}/"
    keys = {name.removeprefix(prefix): name for name in metrics if name.startswith(prefix)}
    for name in keys:
        if name in task.metric_names:
            raise UsageError(f"{task.name} has a metric {name!r} already; choose another name")
    if not keys:
        return task
    registered = {name: metrics.get(key) for name, key in keys.items()}
    task_score_many = task.score_many

    def score_many(items: Any, answers: Any, names: Sequence[str]) -> Any:
        """The task's own metrics; the registered ones are scored item by item."""
        return task_score_many(items, answers, [name for name in names if name not in registered])  # type: ignore[misc]

    return replace(
        task,
        metrics={**task.metrics, **registered},
        score_many=None if task_score_many is None else score_many,
    )


def chosen_metrics(task: Task[Any, Any], names: Iterable[str] | None, ablated: bool) -> list[str]:
    """Metric names in the task's own order, whatever order they were asked for in."""
    asked = set(names or ())
    for name in names or ():
        if name not in task.metric_names:
            raise UnknownName(f"{task.name} metric", name, task.metric_names)
        if name in task.ablation_metrics and not ablated:
            raise UsageError(
                f"this model answers nothing but the items themselves, so {name!r} is unknown"
            )
    offered = task.metric_names if ablated else list(task.metrics)
    return [name for name in offered if not asked or name in asked]


def score_items(
    task: Task[Any, Any], items: Sequence[Any], answers: Mapping[str, str], wanted: Sequence[str]
) -> ItemResults:
    """Score each item from its stored JSON answer, so that a resumed run equals a whole one."""
    rows = [json.loads(answers[item.id]) for item in items]
    restored = [task.from_row(row) for row in rows]
    totals, counts = {}, {}
    if task.score_many is not None:
        for name, (total, count) in task.score_many(items, restored, wanted).items():
            totals[name], counts[name] = total, count
    for name in (name for name in wanted if name not in totals):
        if name in task.ablation_metrics:
            ablated = [[task.from_row(copy) for copy in row[KEY]] for row in rows]
            scores = list(map(task.ablation_metrics[name], items, restored, ablated))
        else:
            scores = list(map(task.metrics[name], items, restored))
        totals[name] = np.array([score.total for score in scores], dtype=float)
        counts[name] = np.array([score.count for score in scores], dtype=float)
    return ItemResults(
        ids=tuple(item.id for item in items),
        answers=tuple(answers[item.id] for item in items),
        totals=totals,
        counts=counts,
    )


def estimates(
    results: ItemResults,
    seed: int = 0,
    differences: Collection[str] = (),
    *,
    partial: bool = False,
) -> dict[str, Estimate]:
    """Each metric's value and 95% interval: Wilson's for proportions, else the bootstrap's.

    With ``partial`` a metric that the labels of no item allow is left out, unless none is allowed.
    """
    counted = any(counts.any() for counts in results.counts.values())
    by_metric = {}
    bootstrapped = [
        name for name in results.totals if name in differences or not is_share(results, name)
    ]
    if bootstrapped:  # one resampling serves them all
        draws = resample(
            np.column_stack([results.totals[name] for name in bootstrapped]),
            np.column_stack([results.counts[name] for name in bootstrapped]),
            seed=seed,
        )
    for name, totals in results.totals.items():
        if partial and counted and not results.counts[name].any():
            continue
        value = ratio(totals, results.counts[name])
        if name in bootstrapped:
            interval = percentiles(draws[:, bootstrapped.index(name)], value)
            by_metric[name] = Estimate(value, *interval, method="bootstrap")
        else:
            n = results.counts[name].sum()
            by_metric[name] = Estimate(value, *wilson(totals.sum(), n), method="wilson")
    return by_metric


def is_share(results: ItemResults, metric: str) -> bool:
    """Whether the metric is a proportion: every counted item scores 0, 0.5 (a tie) or 1."""
    asked = results.counts[metric] > 0
    right = np.isin(results.totals[metric][asked], (0.0, 0.5, 1.0)).all()
    return bool(asked.any() and right and (results.counts[metric][asked] == 1).all())
