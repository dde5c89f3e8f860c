"""Render saved runs as one self-contained HTML page: no scripts, fonts or external links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import PurePath

import fabula
from fabula.bench.align import group_runs
from fabula.bench.compare import (
    LOWER_IS_BETTER,
    Comparison,
    LeaderboardRow,
    best_first,
    compare,
    leaderboard_rows,
)
from fabula.bench.report import plots
from fabula.bench.runs.store import Run, find_runs
from fabula.bench.scoring import is_share
from fabula.core.files import write_text
from fabula.core.html import NOTHING, format_number, render_template
from fabula.errors import UsageError

__all__ = ["render_report", "report"]

_MOST_PAIRS = 45  # ten models; beyond that a table of all pairs is no longer read
_ECDF = "How the items are spread: the line of a better model runs further {side}."
_AGREEMENT = "How many items are solved by no model, by one, by all."


@dataclass(frozen=True, slots=True)
class _Section:
    """Template values for the runs on one data set, best run first."""

    task: str
    source: str | None
    items: int
    fingerprint: str
    metric: str
    board: list[LeaderboardRow]
    runs: list[Run]
    metrics: list[str]
    summary: str
    forest: str
    spread: str
    spread_caption: str
    other_forests: list[str]
    pairs: list[Comparison]
    pairs_left_out: int


def report(
    runs: Sequence[Run] | str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    title: str = "Results",
) -> str:
    """One HTML page about runs of ``evaluate``, or about a folder of stored ones; the page's text.

    With ``output`` it is written there as well.
    """
    text = render_report(find_runs(runs) if isinstance(runs, str | PathLike) else runs, title=title)
    if output is not None:
        write_text(output, text)
    return text


def render_report(runs: Sequence[Run], *, title: str = "Results") -> str:
    """The report as HTML text. The same runs give the same bytes."""
    if not runs:
        raise UsageError("a report needs at least one run")
    return render_template(
        "fabula.bench.report",
        "page.html.j2",
        filters={"number": _number, "p": _p, "signed": _signed},
        title=title,
        sections=[_section(group) for group in group_runs(runs)],
        version=fabula.__version__,
        lower=LOWER_IS_BETTER,
    )


def _section(group: Sequence[Run]) -> _Section:
    runs = best_first(group)
    pairs = compare(runs) if len(runs) > 1 else []
    board = leaderboard_rows(runs, pairs)
    names, metric = [row.model for row in board], board[0].metric
    metrics = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    shown = pairs
    if len(pairs) > _MOST_PAIRS:
        shown = [pair for pair in pairs if pair.first == names[0]]
    data = runs[0].data
    binary = all(is_share(run.items, metric) for run in runs)
    side = "left" if metric in LOWER_IS_BETTER else "right"
    draw = plots.agreement if binary else plots.ecdf
    drawn = runs if binary else runs[: len(plots.SERIES)]
    return _Section(
        task=runs[0].task,
        source=PurePath(data["path"]).name if data["path"] else None,
        items=data["items"],
        fingerprint=data["fingerprint"],
        metric=metric,
        board=board,
        runs=runs,
        metrics=metrics,
        summary=_summary(board, pairs),
        forest=_forest(names, runs, metric),
        spread=draw(
            {name: run.items.scores(metric) for name, run in zip(names, drawn, strict=False)},
            metric,
        ),
        spread_caption=_AGREEMENT if binary else _ECDF.format(side=side),
        other_forests=[_forest(names, runs, name) for name in metrics if name != metric],
        pairs=shown,
        pairs_left_out=len(pairs) - len(shown),
    )


def _forest(names: Sequence[str], runs: Sequence[Run], metric: str) -> str:
    estimates = [run.metrics[metric] for run in runs]
    return plots.forest(
        {
            name: (estimate.value, estimate.low, estimate.high)
            for name, estimate in zip(names, estimates, strict=True)
        },
        metric,
    )


def _summary(board: Sequence[LeaderboardRow], pairs: Sequence[Comparison]) -> str:
    """One sentence: the best model's value, and which models are not significantly worse."""
    leader = board[0]
    text = (
        f"{leader.model} reaches {leader.metric} {_number(leader.value)} "
        f"({_number(leader.low)} to {_number(leader.high)})"
    )
    if len(board) == 1:
        return f"{text}."
    tied = [pair for pair in pairs if pair.first == leader.model and not pair.significant]
    if not tied:
        return f"{text}, significantly better than every other model here."
    if len(tied) == len(board) - 1:
        return f"{text}; no other model here is significantly worse."
    names = ", ".join(pair.second for pair in tied)
    return f"{text}; not significantly worse: {names}."


def _number(value: float | None, digits: int = 3) -> str:
    return format_number(value, digits).replace("-", "−")


def _signed(value: float) -> str:
    text = _number(value)
    return text if text[0] in (NOTHING, "−") else f"+{text}"


def _p(value: float | None) -> str:
    if value is None:
        return NOTHING
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
