"""Leakage by slice: the tests of other probes on each value of a column, with its own chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.figures import WRONG, label_rows
from fabula.audit.findings import ALPHA, Check, Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.probes.position import position_chi_square_p
from fabula.audit.probes.surface import cues, rules
from fabula.audit.stats.exchangeability import binomial_p, detectable_accuracy, rule_check
from fabula.audit.stats.options_classifier import feature_matrix, progressive_validation
from fabula.core.figures import INK, SOFT, drawing, short, svg
from fabula.core.stats import wilson

__all__ = ["slice_columns", "slices"]

_LEAST = 50  # items in a slice
_OWN = 200  # items from which a slice's own classifier learns
_VALUES = 20  # a column with more values is no kind of slice
_COLUMNS = 8
_RULES = (
    "the longest (words)",
    "the shortest (words)",
    "most negations",
    "fewest negations",
    "most punctuation",
    "least punctuation",
)


def _figure(table: ItemTable, finding: Finding) -> str:
    """The options-only accuracy of each slice with its interval, and chance."""
    shown = [row for row in finding.detail["slices"] if row["value"] is not None][:40]
    if not shown:
        return ""
    with drawing(0.8 + 0.28 * len(shown)) as figure:
        axes = figure.subplots()
        for rank, row in enumerate(shown):
            clear = row["low"] > row["chance"]
            colour = WRONG if clear else SOFT
            axes.plot([row["low"], row["high"]], [rank, rank], color=colour, linewidth=2)
            axes.plot([row["value"]], [rank], "o", color=colour, markersize=5.5)
            axes.plot([row["chance"]], [rank], "|", color=INK, markersize=9)
        label_rows(axes, [short(str(row["name"])) for row in shown])
        axes.set_xlabel("options-only accuracy, 95% interval; bar: chance")
    return svg(figure, "options-only accuracy in each slice")


@declare("slices", title="Does one part leak?", order=11, figure=_figure)
def slices(context: AuditContext) -> Finding:
    """In each slice: the place of gold, the main surface rules, tone, and options only.

    A slice is a value of a column with 2 to 20 values that at least 50 items have; items with
    different numbers of options are slices too.
    """
    parts = list(_parts(context))
    if not parts:
        nothing = "There is no column with 2 to 20 values that 50 items or more have."
        return Finding(name="slices", finding=nothing, status="skipped")
    jobs = [(f"{column} = {value}", places) for column, value, places in parts]
    tests = context.family * len(jobs) * (len(_RULES) + 4)
    checks: list[Check] = []
    for name, places in jobs:
        checks += _checks(context, name, places, tests)
    best = min(checks, key=lambda check: (check.p, -check.value))
    significant = [check for check in checks if check.p * len(checks) * context.family <= ALPHA]
    where = sorted({str(check.detail["slice"]) for check in significant})
    return Finding(
        name="slices",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=best.chance,
        accuracy=best.value,
        covers_all_items=False,
        finding=f"{len(where)} of {len(jobs)} slices leak, worst {best.detail['slice']}: "
        f"{best.detail['cue']} is right in {best.value:.1%} of its {best.n:,} items.",
        otherwise=f"None of {len(jobs)} slices leaks; {len(checks)} tests were made.",
        advice="Look at how this part was written or collected.",
        detectable=f"In the slice nearest to leaking, an accuracy of {best.detectable:.1%} or more "
        "would be seen.",
        checks=tuple(sorted(checks, key=lambda check: check.p)[:200]),
        examples=tuple(
            context.example(int(place), str(best.detail["slice"]))
            for place in dict(jobs)[str(best.detail["slice"])][:3]
        ),
        detail={"slices": [_summary(context, name, places) for name, places in jobs],
                "tests_made": len(checks)},
    )  # fmt: skip


def slice_columns(table: ItemTable) -> dict[str, list[str]]:
    """The columns that slice: few values, several of them frequent; one for mixed option counts."""
    columns = {}
    if len(np.unique(table.sizes)) > 1:
        columns["number of options"] = [str(size) for size in table.sizes]
    for name, values in table.columns.items():
        kinds = set(values)
        if 2 <= len(kinds) <= _VALUES:
            columns[name] = values
    return dict(list(columns.items())[:_COLUMNS])


def _parts(context: AuditContext) -> Iterator[tuple[str, str, NDArray[np.int64]]]:
    for column, values in slice_columns(context.table).items():
        array = np.array(values, dtype=object)
        for value in sorted(set(values)):
            places = np.flatnonzero(array == value)
            if len(places) >= _LEAST:
                yield column, value, places


def _checks(context: AuditContext, name: str, places: NDArray[np.int64], tests: int) -> list[Check]:
    part = context.table.take(places)
    # Texts are tokenised and scored once, for the whole table.
    rows = context.table.option_rows(places)
    tone = context.table.sentiment[rows]
    every = rules({name: values[rows] for name, values in cues(context.table).items()})
    chosen = {rule: every[rule] for rule in _RULES if rule in every}
    chosen |= {"the happiest": tone, "the saddest": -tone}
    checks = [rule_check(rule, values, part, tests) for rule, values in chosen.items()]
    counts = np.bincount(part.gold)
    top = int(np.argmax(counts))
    always = f"always option {top + 1}"
    checks.append(
        _check(always, float(counts[top]), len(part), part, position_chi_square_p(part), tests)
    )
    checks += _learnt(context, part, places, tests)
    return [_named(check, name) for check in checks]


def _learnt(
    context: AuditContext, part: ItemTable, places: NDArray[np.int64], tests: int
) -> list[Check]:
    """Options only: as learnt from everything, and as learnt from the slice alone."""
    staged = np.full(len(context.table), np.nan)
    staged[context.training_sample[1]] = context.options_only.staged
    outcomes = {"options only": staged[places]}
    if _OWN <= len(part) <= context.sample:
        outcomes["options only, learnt in the slice"] = progressive_validation(
            feature_matrix(part), part, seed=context.seed
        )
    checks = []
    for name, outcome in outcomes.items():
        tested = ~np.isnan(outcome)
        n = int(tested.sum())
        if n:
            chance = float(part.chances[tested].mean())
            right = float(np.nansum(outcome))
            checks.append(_check(name, right, n, part, binomial_p(right, n, chance), tests))
    return checks


def _check(name: str, right: float, n: int, part: ItemTable, p: float, tests: int) -> Check:
    low, high = wilson(right, n)
    chance = float(part.chances.mean())
    seen = detectable_accuracy(n, chance, tests)
    return Check(name=name, value=right / n, low=low, high=high, p=p, chance=chance, n=n,
                 detectable=seen)  # fmt: skip


def _named(check: Check, where: str) -> Check:
    from dataclasses import replace

    detail = {**check.detail, "slice": where, "cue": check.name}
    return replace(check, name=f"{where}: {check.name}", detail=detail)


def _summary(context: AuditContext, name: str, places: NDArray[np.int64]) -> dict[str, object]:
    """For the plot: the options-only accuracy of each slice."""
    correct = np.full(len(context.table), np.nan)
    correct[context.training_sample[1]] = context.options_only.correct
    inside = correct[places]
    inside = inside[~np.isnan(inside)]
    low, high = wilson(float(inside.sum()), len(inside))
    return {
        "name": name,
        "items": len(places),
        "value": float(inside.mean()) if len(inside) else None,
        "low": low,
        "high": high,
        "chance": float(context.table.chances[places].mean()),
    }
