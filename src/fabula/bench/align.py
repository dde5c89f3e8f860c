"""Align runs: group them by task and data, and tabulate scores of their common items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.bench.runs.store import Run
from fabula.errors import UnknownName, UsageError

__all__ = ["aligned", "common_ids", "group_runs", "same_data", "shared_metric"]

Floats = NDArray[np.float64]


def group_runs(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that can be compared with each other: one task, one data set."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.task, run.data["fingerprint"]), []).append(run)
    return list(groups.values())


def same_data(runs: Sequence[Run]) -> None:
    """Refuse runs that cannot be compared item by item."""
    groups = group_runs(runs)
    if len(groups) > 1:
        what = "; ".join(
            f"{', '.join(run.model for run in group)} on {group[0].task} "
            f"{group[0].data['path'] or 'items'} ({group[0].data['fingerprint']})"
            for group in groups
        )
        raise UsageError(f"only runs on the same data can be compared, and these differ: {what}")


def shared_metric(runs: Sequence[Run], metric: str | None) -> str:
    """The metric, if all runs have it; by default the first that they share."""
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    if metric is not None and metric not in shared:
        raise UnknownName("metric of these runs", metric, shared)
    if not shared:
        raise UsageError("these runs have no metric in common; evaluate them with the same metrics")
    return metric or shared[0]


def common_ids(runs: Sequence[Run]) -> list[str]:
    """The ids that every run has, in the first run's order."""
    everywhere = set.intersection(*(set(run.items.ids) for run in runs))
    return [identifier for identifier in runs[0].items.ids if identifier in everywhere]


def aligned(runs: Sequence[Run], metric: str) -> tuple[Floats, Floats]:
    """Arrays of totals and counts, [common items, runs]."""
    common = common_ids(runs)
    totals, counts = [], []
    for run in runs:
        row = {identifier: index for index, identifier in enumerate(run.items.ids)}
        order = [row[identifier] for identifier in common]
        totals.append(run.items.totals[metric][order])
        counts.append(run.items.counts[metric][order])
    return np.column_stack(totals), np.column_stack(counts)
