"""Human-rating tables: judge agreement and metric regressions, of a file or simulated."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from fabula.bench.agreement import Ratings, agree, fit_metrics, read_ratings
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.papers.work import Work
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import score_orders
from fabula.text.io.records import write_records

__all__ = ["judged", "simulate"]

_SYSTEMS = ("ATTOrderNet", "SE-Graph")


def judged(work: Work, *, published: dict[str, float]) -> TableResult:
    """Inter-judge agreement, R² of each metric with mean ratings, rating distributions."""
    from fabula.bench.experiments.figures import distributions, regression

    corpus, notes = work.corpora["ratings"], []
    path = Path(corpus.source)
    if corpus.stands_in:
        path = work.subfolder("ratings") / "simulated.jsonl"
        write_records(path, simulate(work["passages"], work.seed))
        notes.append(
            "SIMULATED ratings, drawn by the program from the metrics themselves plus noise: they "
            "show the analysis and say nothing about any metric or model"
        )
    ratings = read_ratings(path)
    agreed = agree(ratings, seed=work.seed)
    rows = [
        Row(("mean Pearson with the mean of all",), published["pearson"], agreed["pearson"]),
        Row(("mean Pearson with the others",), None, agreed["leave_one_out"]),
        Row.of(("Krippendorff's alpha",), published["alpha"], agreed["alpha"]),
    ]
    figures = {}
    for fit in fit_metrics(ratings, seed=work.seed):
        interval = {"value": fit.r2, "low": fit.interval.low, "high": fit.interval.high}
        rows.append(Row.of((f"R² on {fit.metric}",), published.get(fit.metric), interval))
        if fit.metric in ("tau", "WLCS-l") and fit.slope == fit.slope:
            line = (fit.slope, fit.intercept)
            figures[fit.metric] = regression(
                ratings.metrics[fit.metric], ratings.means, line, fit.metric, fit.r2
            )
    groups = _by_system(ratings)
    figures["ratings"] = distributions(groups, "mean rating")
    for name, values in groups.items():
        theirs = published.get(name)
        rows.append(Row((f"most frequent mean rating, {name or 'all'}",), theirs, _peak(values)))
    notes.append(
        f"{agreed['items']} passages, {agreed['judges']} judges, {agreed['ratings']} ratings"
    )
    return TableResult(tuple(rows), tuple(notes), figures)


def _by_system(ratings: Ratings) -> dict[str, Any]:
    systems = np.array(ratings.systems)
    return {name: ratings.means[systems == name] for name in sorted(set(ratings.systems))}


def _peak(values: Any) -> float:
    """Mode of a Gaussian kernel density estimate (Silverman bandwidth) on 1 to 5."""
    grid = np.linspace(1, 5, 401)
    width = max(0.9 * float(np.std(values)) * len(values) ** -0.2, 0.05)
    shares = np.exp(-0.5 * ((grid[:, None] - values[None, :]) / width) ** 2).sum(axis=1)
    return float(grid[shares.argmax()])


def simulate(passages: int, seed: int) -> list[dict[str, Any]]:
    """Ratings of 3 judges for ``passages`` orders by each of two systems, from 1 to 5.

    The orders are gold with some units moved; a rating follows tau and WLCS-l in equal parts, a
    judge's own leaning, and chance.
    """
    rng = random.Random(f"ratings {seed}")
    leanings = {f"judge {number}": rng.gauss(0, 0.3) for number in (1, 2, 3)}
    rows = []
    for number in range(1, passages + 1):
        n = rng.randint(4, 10)
        text = Text(f"text {number}", tuple(map(str, range(n))), tuple(range(n)))
        for system in _SYSTEMS:
            order = list(range(n))
            for _ in range(rng.choice((0, 1, 1, 2, 3))):
                order.insert(rng.randrange(n), order.pop(rng.randrange(n)))
            answer = Order(tuple(order), np.full((n, n), 0.5, dtype=np.float32))
            scores = score_orders([text], [answer], ("tau", "Acc", "WLCS-l"))
            metrics = {name: float(total[0] / size[0]) for name, (total, size) in scores.items()}
            quality = (1 + metrics["tau"]) / 4 + metrics["WLCS-l"] / 2
            for judge, leaning in leanings.items():
                rating = round(min(5, max(1, 1 + 4 * quality + leaning + rng.gauss(0, 0.7))))
                rows.append(
                    {"item": f"{system} {number}", "judge": judge, "rating": rating,
                     "text": text.id, "system": system, "n": n, **metrics}
                )  # fmt: skip
    return rows
