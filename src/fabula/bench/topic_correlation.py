"""Correlate salad scores with topic cosine (story salads paper, Table 3 and error analysis).

In the paper, annotators judged whether a salad's documents are thematically close or distinct.
Here a salad is close if its topic cosine lies above the data set's median.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from fabula.bench.align import common_ids, same_data, shared_metric
from fabula.bench.runs.store import Run, labels
from fabula.errors import InputError, UsageError
from fabula.registry import tasks

__all__ = ["TopicCorrelation", "topic_correlation", "topic_cosines"]


@dataclass(frozen=True, slots=True)
class TopicCorrelation:
    """One run: Spearman's rho of scores with topic cosine, and its low-scoring items by theme."""

    model: str
    rho: float
    p: float
    items: int
    bad: int  # items scored below the threshold
    close: int  # of the bad items, those with thematically close documents


def topic_cosines(runs: Sequence[Run], path: str | PathLike[str] | None = None) -> dict[str, float]:
    """The cosine of each salad by id, from the file that was evaluated or from ``path``.

    Empty when the runs are of another task, or the file is gone or holds no cosines.
    """
    source = path if path is not None else runs[0].data.get("path")
    if runs[0].task != "salads" or source is None or (path is None and not Path(source).is_file()):
        return {}
    items = tasks.get("salads").read(source)
    cosines = {item.id: item.cosine for item in items if item.cosine is not None}
    if path is not None and not cosines:
        raise InputError(
            "no salad here has a cosine; build them with 'fabula build salads --cosine'", path=path
        )
    return cosines


def topic_correlation(
    runs: Sequence[Run],
    cosines: Mapping[str, float],
    *,
    below: float = 0.65,
    metric: str | None = None,
) -> list[TopicCorrelation]:
    """For each run, Spearman's rho with the cosine and the number of bad items that are close."""
    from scipy.stats import spearmanr

    same_data(runs)
    metric = shared_metric(runs, metric)
    ids = [identifier for identifier in common_ids(runs) if identifier in cosines]
    if len(ids) < 3:
        raise UsageError(
            f"a rank correlation needs 3 salads with a cosine or more; {len(ids)} have"
        )
    topic_cosine = np.array([cosines[identifier] for identifier in ids])
    median = np.median(topic_cosine)
    rows = []
    for run, name in zip(runs, labels(runs), strict=True):
        by_id = dict(zip(run.items.ids, run.items.scores(metric), strict=True))
        scores = np.array([by_id[identifier] for identifier in ids])
        constant = np.ptp(scores) == 0 or np.ptp(topic_cosine) == 0  # then there is nothing to rank
        rho, p = (np.nan, np.nan) if constant else spearmanr(scores, topic_cosine)
        bad = scores < below
        rows.append(
            TopicCorrelation(
                name,
                float(rho),
                float(p),
                len(ids),
                int(bad.sum()),
                int((bad & (topic_cosine > median)).sum()),
            )
        )
    return rows
