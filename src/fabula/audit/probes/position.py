"""Position of the right answer -> chi-square test against the uniform distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.figures import WRONG
from fabula.audit.findings import Check, Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.stats.exchangeability import detectable_accuracy
from fabula.core.figures import SERIES, SOFT, drawing, svg
from fabula.core.stats import wilson

__all__ = ["expected", "position", "position_chi_square_p"]


def _figure(table: ItemTable, finding: Finding) -> str:
    """How often each place is right, and how often it would be by chance."""
    counts, by_chance = finding.detail["positions"], finding.detail["expected"]
    with drawing(2.3) as figure:
        axes = figure.subplots()
        bars = axes.bar(range(1, len(counts) + 1), counts, width=0.62, color=SERIES[0])
        axes.bar_label(bars, [f"{count:,.0f}" for count in counts], padding=7, color=SOFT)
        for x, hoped in enumerate(by_chance, 1):
            axes.plot([x - 0.42, x + 0.42], [hoped, hoped], color=WRONG, linewidth=1.6)
        axes.set_xticks(range(1, len(counts) + 1))
        axes.grid(visible=False, axis="x")
        axes.margins(y=0.14)
        axes.set_xlabel("place of the right option; line: by chance")
        axes.set_ylabel("items")
    return svg(figure, "how often each place is right")


@declare("position", title="Is one place favoured?", order=3, figure=_figure)
def position(context: AuditContext) -> Finding:
    """Chi-square of the places of gold; the value is the accuracy of the most frequent place."""
    table = context.table
    counts = np.bincount(table.gold, minlength=int(table.sizes.max(initial=2)))
    hoped = expected(table.sizes)
    best = int(np.argmax(counts))
    n, chance = len(table), float(table.chances.mean())
    share = counts[best] / max(n, 1)
    low, high = wilson(float(counts[best]), n)
    seen = detectable_accuracy(n, chance, context.family * len(counts))
    check = Check(
        name=f"always option {best + 1}",
        value=float(share),
        low=low,
        high=high,
        p=position_chi_square_p(table),
        chance=chance,
        n=n,
        detectable=seen,
    )
    return Finding(
        name="position",
        value=float(share),
        low=low,
        high=high,
        chance=chance,
        accuracy=float(share),
        finding=f"Option {best + 1} is right in {share:.1%} of the items; chance is {chance:.1%}.",
        otherwise=f"No place is favoured: the most frequent, option {best + 1}, holds {share:.1%}.",
        advice="Shuffle the options of each item.",
        detectable=f"A place that is right in {seen:.1%} of the items or more would be seen.",
        checks=(check,),
        detail={"positions": counts.tolist(), "expected": [float(h) for h in hoped]},
    )


def expected(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """How often each place would be right by chance, when items may differ in their options."""
    widest = int(sizes.max(initial=2))
    return np.array([np.sum((sizes > place) / sizes) for place in range(widest)])


def position_chi_square_p(table: ItemTable, draws: int = 20_000) -> float:
    """Chi-square by its asymptotic law, or by drawn answers where places are seldom expected.

    Of two options everywhere, the exact binomial test.
    """
    from scipy import stats

    hoped = expected(table.sizes)
    counts = np.bincount(table.gold, minlength=len(hoped))
    same = bool((table.sizes == table.sizes[0]).all()) if len(table) else True
    if len(table) == 0:
        return 1.0
    if same and len(hoped) == 2:
        tail = stats.binom.sf(counts.max() - 1, len(table), 0.5)
        return min(1.0, 2 * float(tail))
    statistic = float(np.sum((counts - hoped) ** 2 / hoped))
    if same and hoped.min() >= 10:
        return float(stats.chi2.sf(statistic, len(hoped) - 1))
    rng = np.random.default_rng(0)
    kinds, members = np.unique(table.sizes, return_counts=True)
    totals = np.zeros((draws, len(hoped)))
    for size, count in zip(kinds, members, strict=True):
        totals[:, :size] += rng.multinomial(count, [1 / size] * int(size), size=draws)
    drawn = np.sum((totals - hoped) ** 2 / hoped, axis=1)
    return float((1 + np.sum(drawn >= statistic - 1e-9)) / (draws + 1))
