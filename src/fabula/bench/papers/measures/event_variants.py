"""What becomes of the event cloze as its switches are turned, one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.measures.events import Model, State, fitted, state_of
from fabula.bench.papers.shape import Found, Row
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


def variants(work: Work, *, rows: Sequence[Model], recipes: Mapping[str, Recipe]) -> Found:
    """Recall@50 of each model on each kind of test.

    Training chains are prepared as the tests are. What was tuned, was so on the LM cloze, and
    stays: a switch is to be the only thing that changes.
    """
    found = []
    for label, recipe in recipes.items():
        cell = work.cell(f"variant {label}", partial(_measure, work, rows, recipe))
        found += [Row.of((label, one.label), None, cell[one.label]) for one in rows]
    state = state_of(work, "chains")
    documents = len({chain.document for chain in state.training})
    said = f"{documents} training documents, at most {work['tests']} test chains of each kind"
    return Found(tuple(found), (said,))


def _measure(work: Work, rows: Sequence[Model], recipe: Recipe) -> dict[str, Any]:
    state = state_of(work, "chains")
    tests = list(build_tests(state.testing, recipe, n=work["tests"], seed=work.seed))
    counts = _counted(state, recipe)
    found: dict[str, Any] = {}
    for one in rows:
        tuned = fitted(work, "chains", str(one.name), one.options)
        model = models.get(f"events/{one.name}")(**{**one.options, **tuned.tuned_}).fit(counts)
        run = evaluate("events", tests, model, name=one.label, seed=work.seed)
        e = run.metrics["recall@50"]
        found[one.label] = {"value": float(e.value), "low": float(e.low), "high": float(e.high)}
    return found


def _counted(state: State, recipe: Recipe) -> Counts:
    if not recipe.unique and not recipe.without:
        return state.counts
    return count(prepare(chain, recipe) for chain in state.training)
