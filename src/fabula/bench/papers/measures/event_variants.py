"""Event-cloze ablation: recall@50 as each option of the test recipe is changed alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.measures.events import ClozeData, EventModel, cloze_data, fitted
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.papers.work import Work
from fabula.events.build import build_tests
from fabula.events.counts.counting import count
from fabula.events.counts.event_counts import Counts
from fabula.events.recipes import RECIPES, Recipe, prepare
from fabula.registry import models

__all__ = ["VARIANTS", "variants"]

_BASE = RECIPES["lm-cloze"]
VARIANTS: dict[str, Recipe] = {
    "LM cloze": _BASE,
    "a hole for each event": replace(_BASE, sample="events"),
    "a set: no order": replace(_BASE, ordered=False),
    "each event once": replace(_BASE, unique=True),
    "without be": replace(_BASE, without=("be",)),
    "once, without be": replace(_BASE, unique=True, without=("be",)),
    "the longest chain of a document": replace(_BASE, chains="longest"),
    "ten most frequent events out": replace(_BASE, frequent_out=10),
    "narrative cloze: all of them but the last": RECIPES["narrative-cloze"],
}


def variants(
    work: Work, *, rows: Sequence[EventModel], recipes: Mapping[str, Recipe]
) -> TableResult:
    """Recall@50 of each model on tests built by each recipe.

    Training chains are prepared like the tests. Hyperparameters stay as tuned on the LM cloze, so
    that the recipe is the only difference.
    """
    table_rows = []
    for label, recipe in recipes.items():
        cell = work.cell(f"variant {label}", partial(_measure, work, rows, recipe))
        table_rows += [Row.of((label, model.label), None, cell[model.label]) for model in rows]
    state = cloze_data(work, "chains")
    documents = len({chain.document for chain in state.training})
    note = f"{documents} training documents, at most {work['tests']} test chains of each kind"
    return TableResult(tuple(table_rows), (note,))


def _measure(work: Work, rows: Sequence[EventModel], recipe: Recipe) -> dict[str, Any]:
    state = cloze_data(work, "chains")
    tests = list(build_tests(state.testing, recipe, n=work["tests"], seed=work.seed))
    counts = _training_counts(state, recipe)
    cell: dict[str, Any] = {}
    for model in rows:
        tuned = fitted(work, "chains", str(model.name), model.options)
        fitted_model = models.get(f"events/{model.name}")(**{**model.options, **tuned.tuned_}).fit(
            counts
        )
        run = evaluate("events", tests, fitted_model, name=model.label, seed=work.seed)
        estimate = run.metrics["recall@50"]
        cell[model.label] = {
            "value": float(estimate.value),
            "low": float(estimate.low),
            "high": float(estimate.high),
        }
    return cell


def _training_counts(state: ClozeData, recipe: Recipe) -> Counts:
    if not recipe.unique and not recipe.without:
        return state.counts
    return count(prepare(chain, recipe) for chain in state.training)
