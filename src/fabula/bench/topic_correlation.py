"""How results depend on how near in topic the documents of a salad are (Table 3, error analysis).

The paper had people say whether the documents of a salad are thematically close or distinct. Here
the topic cosine says it: close is what lies above the middle of the data set.
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

__all__ = ["Nearness", "nearness", "topic_cosines"]


@dataclass(frozen=True, slots=True)
class Nearness:
    """One run: rank correlation of its scores with the topic cosine, and its bad items by theme."""

    model: str
    rho: float
    p: float
    items: int
    bad: int  # scored below the bar
    close: int  # of them, those of thematically close documents


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


def nearness(
    runs: Sequence[Run],
    cosines: Mapping[str, float],
    *,
    below: float = 0.65,
    metric: str | None = None,
) -> list[Nearness]:
    """For each run the Spearman correlation, and how many bad items are of close documents."""
    from scipy.stats import spearmanr

    same_data(runs)
    metric = shared_metric(runs, metric)
    ids = [identifier for identifier in common_ids(runs) if identifier in cosines]
    if len(ids) < 3:
        raise UsageError(
            f"a rank correlation needs 3 salads with a cosine or more; {len(ids)} have"
        )
    near = np.array([cosines[identifier] for identifier in ids])
    middle = np.median(near)
    rows = []
    for run, name in zip(runs, labels(runs), strict=True):
        by_id = dict(zip(run.items.ids, run.items.scores(metric), strict=True))
        scores = np.array([by_id[identifier] for identifier in ids])
        constant = np.ptp(scores) == 0 or np.ptp(near) == 0  # then there is nothing to rank
        rho, p = (np.nan, np.nan) if constant else spearmanr(scores, near)
        bad = scores < below
        rows.append(
            Nearness(
                name,
                float(rho),
                float(p),
                len(ids),
                int(bad.sum()),
                int((bad & (near > middle)).sum()),
            )
        )
    return rows
