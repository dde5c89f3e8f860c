"""Tests of exchangeability: in each item, every option is equally likely to be the right one.

Under this null the answers of different items are independent, whatever their texts, so most tests
here are exact or conservative, and none needs random permutations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import ALPHA, Check
from fabula.core.stats import detectable_share, wilson

if TYPE_CHECKING:
    from fabula.audit.item_table import ItemTable

__all__ = [
    "POWER",
    "RuleOutcome",
    "apply_rule",
    "binomial_p",
    "detectable_accuracy",
    "paired_t_test",
    "rule_check",
]

Floats = NDArray[np.float64]
POWER = 0.97  # what is called detectable is seen 19 times in 20, with room for rounding


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """The accuracy of a rule over all items, ties shared, and on the items where it decides."""

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


def apply_rule(values: Floats, table: ItemTable) -> RuleOutcome:
    """Apply the rule "the option with the largest value is right" to every item."""
    wins = table.winners(values)
    winners = table.sum_by_item(wins)
    gold_wins = wins[table.gold_rows]
    decided = winners == 1
    hits = gold_wins & decided
    return RuleOutcome(
        accuracy=float(np.mean(gold_wins / winners)),
        right=int(hits.sum()),
        decided=int(decided.sum()),
        items=len(table),
        chance=float(table.chances.mean()),
        decided_chance=float(table.chances[decided].mean()) if decided.any() else 0.5,
        hits=hits,
    )


def binomial_p(right: float, n: float, chance: float) -> float:
    """One-sided p of ``right`` successes in ``n`` items with mean probability ``chance``.

    The binomial tail; where the probabilities differ the true tail is lighter (Hoeffding 1956).

    >>> round(binomial_p(8, 10, 0.5), 4)
    0.0547
    """
    from scipy.special import betainc

    if n == 0 or right <= 0:
        return 1.0
    if right <= n * chance:
        return 1.0  # the bound holds above the mean only, and below it there is no leak
    return float(betainc(right, n - right + 1, chance))


def detectable_accuracy(n: int, chance: float, tests: int) -> float:
    """The smallest accuracy detected 19 times in 20 among so many one-sided tests.

    Infinite when not even a rule that is always right would be detected.
    """
    if n < 1:
        return float("inf")
    gain = detectable_share(n, chance, alpha=min(1.0, 2 * ALPHA / tests), power=POWER)
    return chance + gain + 0.5 / n  # counts are whole: the exact test asks for half a one more


def rule_check(name: str, values: Floats, table: ItemTable, tests: int) -> Check:
    """The check of the rule "the largest value is right", one-sided."""
    outcome = apply_rule(values, table)
    low, high = wilson(outcome.accuracy * outcome.items, outcome.items)
    seen = detectable_accuracy(outcome.decided, outcome.decided_chance, tests)
    # Ties count as chance: what shows among the decided items is diluted over all of them.
    share = outcome.decided / max(outcome.items, 1)
    return Check(
        name=name,
        value=outcome.accuracy,
        low=low,
        high=high,
        p=binomial_p(outcome.right, outcome.decided, outcome.decided_chance),
        chance=outcome.chance,
        n=outcome.items,
        detectable=outcome.chance + share * (seen - outcome.decided_chance),
        detail={"ties": outcome.ties},
    )


def paired_t_test(differences: Floats) -> tuple[float, float, float, float]:
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
