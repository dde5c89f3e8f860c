"""Options-only baseline: a logistic regression that never sees the context, cross-validated."""

from __future__ import annotations

import numpy as np

from fabula.audit.context import AuditContext
from fabula.audit.findings import Check, Finding
from fabula.audit.probe import declare
from fabula.audit.stats.exchangeability import binomial_p, detectable_accuracy
from fabula.core.stats import wilson

__all__ = ["options_only"]


@declare("options-only", title="Can it be learnt from the options alone?", order=5)
def options_only(context: AuditContext) -> Finding:
    """Accuracy in five grouped folds, with an exact p from learning in stages."""
    table, places = context.training_sample
    learnt = context.options_only
    n, chance = len(table), float(table.chances.mean())
    low, high = wilson(float(learnt.correct.sum()), n)
    tested = ~np.isnan(learnt.staged)
    right, count = float(np.nansum(learnt.staged)), int(tested.sum())
    staged_chance = float(table.chances[tested].mean()) if count else chance
    seen = detectable_accuracy(count, staged_chance, context.family)
    check = Check(
        name="options only",
        value=learnt.accuracy,
        low=low,
        high=high,
        p=binomial_p(right, count, staged_chance),
        chance=chance,
        n=n,
        detectable=seen,
        detail={"staged": right / max(count, 1), "staged_items": count},
    )
    sure = _certainty(context)
    surest = np.argsort(-sure, kind="stable")[:5]
    sample = "" if n == len(context.table) else f" (a sample of {n:,} items)"
    return Finding(
        name="options-only",
        value=learnt.accuracy,
        low=low,
        high=high,
        chance=chance,
        accuracy=learnt.accuracy,
        finding=f"A classifier that never sees the context is right in {learnt.accuracy:.1%} "
        f"of the items{sample}; chance is {chance:.1%}.",
        otherwise=f"A classifier that sees only the options gets {learnt.accuracy:.1%}{sample}, "
        f"no better than chance, {chance:.1%}.",
        advice="Run 'fabula balance' for a subset, or for the options to rewrite first.",
        detectable=f"An accuracy of {seen:.1%} or more would be seen.",
        checks=(check,),
        examples=tuple(
            context.example(
                int(places[place]), f"right without the context, margin {sure[place]:.2f}"
            )
            for place in surest
        ),
        detail={"classifier": "word and character n-grams, length, tone; logistic regression"},
    )


def _certainty(context: AuditContext) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """By how much the right option beats the best wrong one."""
    table, margins = context.training_sample[0], context.options_only.margins
    right = margins[table.gold_rows]
    wrong = np.where(table.right, -np.inf, margins)
    certainty: np.ndarray[tuple[int], np.dtype[np.float64]] = right - np.maximum.reduceat(
        wrong, table.starts[:-1]
    )
    return certainty
