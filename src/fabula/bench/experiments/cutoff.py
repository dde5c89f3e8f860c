"""The frequency-cutoff curve of PMI (Figure 1 of the event cloze paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.core.progress import track
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.pmi import CUTOFFS, Pmi

__all__ = ["Point", "cutoff_curve", "plot"]


@dataclass(frozen=True, slots=True)
class Point:
    """Recall@50 when events seen less than ``cutoff`` times are not ranked."""

    cutoff: int
    candidates: int
    recall: float
    low: float
    high: float


def cutoff_curve(
    counts: Counts, tests: Sequence[EventTest], cutoffs: Sequence[int] = CUTOFFS, **options: Any
) -> list[Point]:
    """One point for each cutoff, on the same tests."""
    points = []
    for cutoff in track(cutoffs, "cutoffs"):
        model = Pmi(cutoff=cutoff, skip=counts.skip, **options).fit(counts)
        recall = evaluate("events", list(tests), model).metrics["recall@50"]
        candidates = int((counts.unigrams >= cutoff).sum())
        points.append(
            Point(cutoff, candidates, float(recall.value), float(recall.low), float(recall.high))
        )
    return points


def plot(points: Sequence[Point]) -> str:
    """The curve with its intervals, as SVG."""
    from fabula.core.figures import SERIES, drawing, svg

    with drawing(2.8) as figure:
        axes = figure.subplots()
        cutoffs = [point.cutoff for point in points]
        axes.fill_between(
            cutoffs, [p.low for p in points], [p.high for p in points], color=SERIES[0], alpha=0.2
        )
        axes.plot(cutoffs, [p.recall for p in points], "o-", color=SERIES[0], markersize=4)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("events seen less often are not ranked")
        axes.set_ylabel("PMI recall@50, 95% interval")
    return svg(figure, "recall@50 of PMI by frequency cutoff")
