"""Metrics that others register are measured, listed, and never take the place of a task's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fabula
from fabula import ordering
from fabula.bench.compare import leaderboard
from fabula.bench.report import render_report
from fabula.bench.runs.store import find_runs
from fabula.cli import app
from fabula.endings import TASK, Ending
from fabula.endings.items import Scores
from fabula.errors import UsageError
from fabula.registry import Registry
from fabula.task import Score


def margin(item: Ending, scores: Scores) -> Score:
    """How far the right option stands above the best wrong one."""
    wrong = [s for place, s in enumerate(scores) if place != item.gold]
    return Score(scores[item.gold or 0] - max(wrong))


def lengths(context: str, options: list[str]) -> list[float]:
    return [float(len(option)) for option in options]


@pytest.fixture
def metrics(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """An empty registry in the place of the real one."""
    empty = Registry("metric")
    monkeypatch.setattr("fabula.bench.scoring.metrics", empty)
    return empty


def test_a_registered_metric_is_measured_and_listed(metrics: Registry) -> None:
    metrics.register("endings/margin", margin)
    metrics.register("salads/margin", margin)  # another task's, and none of ours
    run = fabula.evaluate("endings", TASK.examples(), lengths)
    assert list(run.metrics) == ["accuracy", "ties", "margin", "no_context", "context_gain"]
    by_hand = [margin(item, tuple(map(len, item.options))).total for item in TASK.examples()]
    assert run.metrics["margin"].value == pytest.approx(sum(by_hand) / len(by_hand))
    only = fabula.evaluate("endings", TASK.examples(), lengths, metrics=["margin"])
    assert list(only.metrics) == ["margin"]
    assert "endings/margin" in CliRunner().invoke(app, ["list", "metrics"]).output


def test_a_kept_run_with_a_metric_that_nobody_has_now(
    metrics: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics.register("endings/margin", margin)
    items = TASK.examples()
    old = fabula.evaluate("endings", items, lengths, folder=tmp_path, metrics=["margin"])
    monkeypatch.setattr("fabula.bench.scoring.metrics", Registry("metric"))
    # Reading, comparing and showing take what is stored; the metric need not be there.
    assert leaderboard(find_runs(tmp_path))[0].metric == "margin"
    assert "margin" in render_report(find_runs(tmp_path))
    new = fabula.evaluate("endings", items, lengths, folder=tmp_path, metrics=["accuracy"])
    assert new.folder == old.folder and list(new.metrics) == ["accuracy"]
    assert new.notes[:1] == (
        "the metric 'margin' of an earlier run is left out: nothing has that name now",
    )
    monkeypatch.setattr("fabula.bench.scoring.metrics", metrics)
    again = fabula.evaluate("endings", items, lengths, folder=tmp_path, metrics=["margin"])
    assert list(again.metrics) == ["accuracy", "margin"]  # from the answers that were kept
    assert again.metrics["margin"] == old.metrics["margin"] and again.timing == old.timing


def test_a_tasks_own_metric_cannot_be_replaced(metrics: Registry) -> None:
    metrics.register("endings/accuracy", margin)
    with pytest.raises(UsageError, match="has a metric 'accuracy' already"):
        fabula.evaluate("endings", TASK.examples(), lengths)


def test_what_no_metric_reads_is_not_stored(metrics: Registry, tmp_path: Path) -> None:
    """The pair matrix of an order: stored only where a registered metric may read it."""
    texts = ordering.TASK.examples()
    run = fabula.evaluate("ordering", texts, "random", folder=tmp_path)
    assert [set(json.loads(row)) for row in run.items.answers] == [{"order"}] * len(texts)
    metrics.register("ordering/sure", lambda text, order: Score(order.confidence))
    more = fabula.evaluate("ordering", texts, "random", folder=tmp_path)
    assert "before" in json.loads(more.items.answers[0])
    assert more.metrics["tau"] == run.metrics["tau"] and "sure" in more.metrics
