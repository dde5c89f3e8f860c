"""Table 3 of Sharma et al. 2018: what each group of EndingReg's features is worth alone.

By folds grouped by item, or trained on one file and tested on another as in the paper. C is chosen
inside the training items, for each group and decision apart, by the folds that ``EndingReg.fit``
takes: all groups together are that model, to the last digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.core.stats import Interval, wilson
from fabula.endings.folds import count_correct, golds, item_folds
from fabula.endings.items import Ending
from fabula.endings.models.endingreg.features import GROUPS, Counts, annotate, count
from fabula.endings.models.endingreg.model import DECISIONS, GRID, fit_margins
from fabula.errors import UsageError

__all__ = ["ROWS", "Row", "ablation"]

# Name -> groups and the accuracy the paper reports (trained on v1.0 val, tested on v1.0 test).
ROWS: Mapping[str, tuple[tuple[str, ...], float | None]] = {
    "length + sentiment + yngve": (("length", "sentiment", "yngve"), 0.503),
    "n-grams (token-pos)": (("token-pos",), 0.697),
    "pos": (("pos",), 0.687),
    "chars": (("chars",), 0.634),
    "all": (GROUPS, 0.715),
    "chars across words": (("chars-across",), None),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One set of features under one decision rule."""

    features: str
    decision: str
    accuracy: float
    interval: Interval
    items: int
    paper: float | None


def ablation(
    items: Sequence[Ending],
    test: Sequence[Ending] = (),
    *,
    rows: Mapping[str, tuple[tuple[str, ...], float | None]] = ROWS,
    folds: int = 5,
    inner: int = 5,
    grid: Sequence[float] = GRID,
    seed: int = 0,
) -> list[Row]:
    """Each row under both decision rules: by folds over ``items``, or tested on ``test``."""
    if len(items) < 2 * folds:
        raise UsageError(f"{len(items)} items are too few for {folds} folds")
    everything = [*items, *test]
    gold = golds(everything)
    sizes = [len(item.options) for item in everything]
    groups = sorted({group for chosen, _ in rows.values() for group in chosen})
    texts = [option for item in everything for option in item.options]
    counts = count(annotate(texts, groups), groups)
    if test:
        sides = np.repeat([-1, 0], [len(items), len(test)])
        outer = [0]
    else:
        sides = item_folds(len(items), folds, seed)
        outer = list(range(folds))
    found = []
    for name, (chosen, paper) in rows.items():
        part = _columns(counts, chosen)
        right = dict.fromkeys(DECISIONS, 0.0)
        for side in track(outer, name):
            for decision, share in _side(part, sizes, gold, sides == side, inner, grid, seed):
                right[decision] += share
        number = len(test) or len(items)
        found += [
            Row(name, decision, total / number, wilson(total, number), number, paper)
            for decision, total in right.items()
        ]
    return found


def _side(
    counts: Counts,
    sizes: Sequence[int],
    gold: Sequence[int],
    held: NDArray[np.bool_],
    inner: int,
    grid: Sequence[float],
    seed: int,
) -> list[tuple[str, float]]:
    """How many of the held items are right under each decision, C chosen without them."""
    train, asked = np.flatnonzero(~held).tolist(), np.flatnonzero(held)
    rows = np.flatnonzero(np.repeat(~held, sizes))
    own = Counts(counts.matrix[rows], counts.columns)
    own_sizes, own_gold = [sizes[i] for i in train], [gold[i] for i in train]
    folds = item_folds(len(train), inner, seed)
    tuning = np.zeros((len(DECISIONS), len(grid)))
    for fold in range(inner):
        margins = fit_margins(own, own_sizes, own_gold, folds == fold, grid, seed=seed)
        tuning += _rights(margins, own_sizes, own_gold, np.flatnonzero(folds == fold))
    best = tuning.round(9).argmax(axis=1)
    margins = fit_margins(counts, sizes, gold, held, [grid[b] for b in best], seed=seed)
    right = _rights(margins, sizes, gold, asked)
    return [(decision, float(right[i, i])) for i, decision in enumerate(DECISIONS)]


def _rights(
    margins: NDArray[np.float64],
    sizes: Sequence[int],
    gold: Sequence[int],
    asked: NDArray[np.int64],
) -> NDArray[np.float64]:
    """(decisions, columns of margins): how many of the asked items are right."""
    places = asked.tolist()
    some = [sizes[i] for i in places]
    values = (margins, (margins > 0).astype(float))  # in the order of DECISIONS
    return np.array([[count_correct(c, some, gold, places) for c in v.T] for v in values])


def _columns(counts: Counts, groups: Sequence[str]) -> Counts:
    kept = [i for i, (group, _) in enumerate(counts.columns) if group in groups]
    return Counts(counts.matrix[:, kept], tuple(counts.columns[i] for i in kept))
