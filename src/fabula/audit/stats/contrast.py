"""A measure of texts, right answers against wrong ones: the paper's Table 2, and what it left out.

The paper's test takes all right and all wrong texts as two samples; options of one item share
their story, so the paired test is the one that counts here. Both are given.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import ALPHA, Check
from fabula.audit.item_table import ItemTable
from fabula.audit.stats.exchangeability import POWER, paired_t_test
from fabula.core.stats import detectable_difference

__all__ = ["contrast"]


def contrast(name: str, values: NDArray[np.float64], table: ItemTable, tests: int) -> Check:
    """The check of right minus the mean of the wrong; means and the unpaired p in ``detail``."""
    from scipy import stats

    right = values[table.right]
    sums = table.sum_by_item(values)
    differences = right - (sums - right) / (table.sizes - 1)
    mean, low, high, p = paired_t_test(differences)
    wrong = values[~table.right]
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    varies = len(right) > 1 and (np.ptp(right) > 0 or np.ptp(wrong) > 0)
    unpaired = 1.0
    if varies:
        with warnings.catch_warnings():  # one side may hold one value, to the last digits
            warnings.simplefilter("ignore", RuntimeWarning)
            unpaired = float(stats.ttest_ind(right, wrong, equal_var=False).pvalue)
    seen = math.inf
    if len(right):
        seen = detectable_difference(len(right), spread, alpha=min(1.0, ALPHA / tests), power=POWER)
    return Check(
        name=name,
        value=mean,
        low=low,
        high=high,
        p=p,
        chance=0.0,
        n=len(right),
        detectable=seen,
        detail={
            "right": float(right.mean()) if len(right) else None,
            "wrong": float(wrong.mean()) if len(wrong) else None,
            "unpaired_p": unpaired,
            "effect": mean / spread if spread else 0.0,
        },
    )
