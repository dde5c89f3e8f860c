"""Length and parse depth of right against wrong answers (Sharma et al. 2018, Table 2)."""

from __future__ import annotations

import numpy as np

from fabula.audit.context import AuditContext
from fabula.audit.figures import right_wrong_histogram
from fabula.audit.findings import Check, Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.stats.contrast import contrast
from fabula.audit.stats.exchangeability import apply_rule

__all__ = ["complexity"]

_TESTS = 5


def _figure(table: ItemTable, finding: Finding) -> str:
    """The share of right and of wrong options with so many words."""
    counts = table.words.counts
    widest = max(2, int(np.quantile(counts, 0.995))) if len(counts) else 2
    step = max(1, round(widest / 30))
    edges = np.arange(0, widest + 2 * step, step, dtype=np.float64) - 0.5
    return right_wrong_histogram(counts.astype(float), table, edges, "tokens in an option")


@declare("complexity", title="Are right answers longer or deeper?", order=9, figure=_figure)
def complexity(context: AuditContext) -> Finding:
    """Tokens (Penn Treebank), characters and word length on all items; Yngve and Frazier on some.

    The parser's trees are dependencies projected into phrases, so depths compare within this table
    and not with those of a constituency parser; Yngve's rises with length.
    """
    table = context.table
    tests = _TESTS * context.family
    letters = np.array([len(text) for text in table.texts], dtype=float)
    counts = table.words.counts.astype(float)
    measures = {
        "tokens": (counts, table),
        "characters": (letters, table),
        "characters per token": (letters / np.maximum(counts, 1), table),
    }
    parsed = context.parses
    if parsed is not None:
        sample, parses = parsed
        measures["Yngve"] = (parses.yngve, sample)
        measures["Frazier"] = (parses.frazier, sample)
    checks = tuple(contrast(name, values, of, tests) for name, (values, of) in measures.items())
    best = min(checks, key=lambda check: check.p)
    values, of = measures[best.name]
    outcome = apply_rule(values if best.value > 0 else -values, of)
    more = "higher" if best.value > 0 else "lower"
    right, wrong = best.detail["right"], best.detail["wrong"]
    parts = f"{len(parsed[0]):,} of {len(table):,} items" if parsed else "no item"
    return Finding(
        name="complexity",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=outcome.chance,
        accuracy=outcome.accuracy,
        finding=f"The mean of {best.name} is {more} in right answers, {right:.3f}, than in wrong "
        f"ones, {wrong:.3f}.",
        otherwise=f"Right and wrong answers are equally long and deep. {_tokens(checks)}",
        advice="Let right and wrong options differ by two words at most (fabula lint).",
        detectable=f"A difference of {best.detectable:.3f} in {best.name} would be seen.",
        checks=checks,
        detail={"parsed": parts},
    )


def _tokens(checks: tuple[Check, ...]) -> str:
    first = checks[0].detail
    if first["right"] is None:
        return ""
    return f"Tokens: {first['right']:.3f} and {first['wrong']:.3f}."
