"""Sentiment (VADER) of right against wrong answers: means, tests, and the happiest as a rule."""

from __future__ import annotations

import numpy as np

from fabula.audit.context import AuditContext
from fabula.audit.figures import right_wrong_histogram
from fabula.audit.findings import Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.stats.contrast import contrast
from fabula.audit.stats.exchangeability import apply_rule, rule_check

__all__ = ["sentiment"]


def _figure(table: ItemTable, finding: Finding) -> str:
    """The share of right and of wrong options in each band of VADER's score."""
    return right_wrong_histogram(
        table.sentiment,
        table,
        np.arange(-10.5, 11.0).astype(np.float64) / 10,
        "tone (VADER, -1 to 1)",
    )


@declare("sentiment", title="Are right answers happier?", order=8, figure=_figure)
def sentiment(context: AuditContext) -> Finding:
    """VADER's compound score: means, paired and unpaired tests, and the rule "the happiest"."""
    table = context.table
    values = table.sentiment
    tests = 3 * context.family
    paired = contrast("tone (VADER)", values, table, tests)
    happiest = rule_check("the happiest", values, table, tests)
    saddest = rule_check("the saddest", -values, table, tests)
    rule = happiest if happiest.value >= saddest.value else saddest
    sign = 1 if rule is happiest else -1
    hits = np.flatnonzero(apply_rule(sign * values, table).hits)
    gaps = np.array([_gap(context, int(item)) for item in hits[:2000]])
    widest = hits[np.argsort(-gaps, kind="stable")[:4]] if len(hits) else hits
    right, wrong = paired.detail["right"], paired.detail["wrong"]
    means = f"{right:+.3f} against {wrong:+.3f}" if right is not None else "none"
    return Finding(
        name="sentiment",
        value=rule.value,
        low=rule.low,
        high=rule.high,
        chance=rule.chance,
        accuracy=rule.value,
        finding=f"Right answers sound {'happier' if paired.value > 0 else 'sadder'} than wrong "
        f"ones (VADER {means}); choosing {rule.name} is right in {rule.value:.1%}.",
        otherwise=f"Right and wrong answers sound alike (VADER {means}).",
        advice="Ask writers for wrong options in the tone of the right one.",
        detectable=f"A difference of {paired.detectable:.3f} in VADER's score would be seen.",
        checks=(paired, happiest, saddest),
        examples=tuple(context.example(int(item), f"right one is {rule.name}") for item in widest),
    )


def _gap(context: AuditContext, item: int) -> float:
    table = context.table
    values = table.sentiment[table.starts[item] : table.starts[item + 1]]
    return float(np.ptp(values))
