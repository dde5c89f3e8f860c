"""Options-only accuracy by EndingReg: slower than the audit's own classifier, and another kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabula.endings.folds import count_correct, golds, item_folds
from fabula.endings.items import Ending

__all__ = ["endingreg_accuracy"]


def endingreg_accuracy(
    items: Sequence[Ending], *, c: float = 0.03, folds: int = 5, seed: int = 7
) -> float:
    """Five folds by item; features are chosen and weighed on the other folds alone."""
    from fabula.endings.models.endingreg.features import annotate, count
    from fabula.endings.models.endingreg.model import fit_margins

    gold, sizes = golds(items), [len(item.options) for item in items]
    counts = count(annotate([option for item in items for option in item.options]))
    fold = item_folds(len(items), folds, seed)
    right = 0.0
    for number in range(folds):
        held = fold == number
        margins = fit_margins(counts, sizes, gold, held, [c])[:, 0]
        asked = np.flatnonzero(held).tolist()
        right += count_correct(margins, [sizes[i] for i in asked], gold, asked)
    return right / len(items)
