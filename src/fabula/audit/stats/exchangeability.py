"""Tests of one null: in each item, any option is as likely to be the right one.

Under it the answers of different items are independent, whatever their texts, so most tests here
are exact or on the safe side, and none needs labels to be shuffled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import ALPHA, Check
from fabula.core.stats import detectable_share, wilson

if TYPE_CHECKING:
    from fabula.audit.item_table import Sheet

__all__ = ["POWER", "Outcome", "above_chance", "follow", "paired_t", "rule_check", "smallest"]

Floats = NDArray[np.float64]
POWER = 0.97  # what is called detectable is seen 19 times in 20, with room for rounding


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rule did: over all items with ties shared, and on the items where it decides."""

    accuracy: float
    right: int
    decided: int
    items: int
    chance: float  # over all items
    decided_chance: float
    hits: NDArray[np.bool_]  # item by item: decided, and right

    @property
    def ties(self) -> int:
        return self.items - self.decided


def follow(values: Floats, sheet: Sheet) -> Outcome:
    """The rule "the option with the largest value is right"."""
    wins = sheet.winners(values)
    winners = sheet.per_item(wins)
    gold_wins = wins[sheet.gold_rows]
    decided = winners == 1
    hits = gold_wins & decided
    return Outcome(
        accuracy=float(np.mean(gold_wins / winners)),
        right=int(hits.sum()),
        decided=int(decided.sum()),
        items=len(sheet),
        chance=float(sheet.chances.mean()),
        decided_chance=float(sheet.chances[decided].mean()) if decided.any() else 0.5,
        hits=hits,
    )


def above_chance(right: float, n: float, chance: float) -> float:
    """P(at least so many right) when each item is right with its own chance, ``chance`` on average.

    The binomial's tail; where the chances differ the true tail is lighter (Hoeffding, 1956).

    >>> round(above_chance(8, 10, 0.5), 4)
    0.0547
    """
    from scipy.special import betainc

    if n == 0 or right <= 0:
        return 1.0
    if right <= n * chance:
        return 1.0  # the bound holds above the mean only, and below it nothing was found
    return float(betainc(right, n - right + 1, chance))


def smallest(n: int, chance: float, tests: int) -> float:
    """The smallest accuracy that shows 19 times in 20 when so many one-sided tests are made.

    Infinite when not even a rule that is always right would show.
    """
    if n < 1:
        return float("inf")
    gain = detectable_share(n, chance, alpha=min(1.0, 2 * ALPHA / tests), power=POWER)
    return chance + gain + 0.5 / n  # counts are whole: the exact test asks for half a one more


def rule_check(name: str, values: Floats, sheet: Sheet, tests: int) -> Check:
    """The check of the rule "the largest value is right", one-sided."""
    found = follow(values, sheet)
    low, high = wilson(found.accuracy * found.items, found.items)
    seen = smallest(found.decided, found.decided_chance, tests)
    # Ties count as chance: what shows among the decided items is diluted over all of them.
    share = found.decided / max(found.items, 1)
    return Check(
        name=name,
        value=found.accuracy,
        low=low,
        high=high,
        p=above_chance(found.right, found.decided, found.decided_chance),
        chance=found.chance,
        n=found.items,
        detectable=found.chance + share * (seen - found.decided_chance),
        detail={"ties": found.ties},
    )


def paired_t(differences: Floats) -> tuple[float, float, float, float]:
    """Mean, 95 % interval and two-sided p of differences within items (Student's t).

    Differences within an item have the mean zero under the null, however many options it has.
    """
    from scipy import stats

    n = len(differences)
    mean = float(differences.mean()) if n else 0.0
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    if n < 2 or spread == 0:
        return mean, mean, mean, 1.0 if mean == 0 or n < 2 else 0.0
    error = spread / np.sqrt(n)
    reach = float(stats.t.ppf(0.975, n - 1)) * error
    p = 2 * float(stats.t.sf(abs(mean) / error, n - 1))
    return mean, mean - reach, mean + reach, p
