"""fabula agreement"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command

RatingsArgument = Annotated[
    Path, typer.Argument(help="CSV, JSONL or Parquet: item, judge, rating, and metrics.")
]
FiguresOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for the figures (SVG).")
]


@command
def agreement(ratings: RatingsArgument, output: FiguresOption = None, seed: int = 0) -> Reply:
    """Say how far judges agree, and which metric follows their ratings best.

    A row is one rating: item, judge, rating; further columns n (units), text (what the item was
    made from) and system, and any other is a metric of the item.
    """
    from dataclasses import asdict

    from rich.console import Group

    from fabula.bench.agreement import agree, compare_metrics, fit_metrics, read_ratings
    from fabula.cli.outputs import make_table, with_interval

    if output is not None and output.is_file():
        from fabula.errors import UsageError

        raise UsageError(f"-o {output}: is a file, and a folder is to be written there")
    table = read_ratings(ratings)
    agreed = agree(table, seed=seed)
    fits = fit_metrics(table, seed=seed)
    tests = compare_metrics(table)
    drawn = [] if output is None else _draw(table, fits, output)
    alpha = agreed["alpha"]
    shown = make_table(
        ("agreement", ""),
        [
            ("items", f"{agreed['items']}"),
            ("judges", f"{agreed['judges']}"),
            ("ratings", f"{agreed['ratings']}"),
            ("mean Pearson with the mean of all", f"{agreed['pearson']:.3f}"),
            ("mean Pearson with the others", f"{agreed['leave_one_out']:.3f}"),
            ("Krippendorff's alpha", with_interval(alpha["value"], alpha["low"], alpha["high"])),
        ],
    )
    tables: list[Any] = [shown]
    if fits:
        rows = [
            (fit.metric, with_interval(fit.r2, *fit.interval), f"{fit.correlation:.3f}", _part(fit))
            for fit in fits
        ]
        tables.append(make_table(("metric", "R²", "Pearson", "given n"), rows))
    if tests:
        rows = [
            (f"{t['first']} - {t['second']}", f"{t['t']:.2f}", f"{t['p']:.4f}", f"{t['holm']:.4f}")
            for t in tests
        ]
        tables.append(make_table(("Williams' test", "t", "p", "Holm"), rows))
    data = {
        **agreed,
        "metrics": [{**asdict(fit), "interval": list(fit.interval)} for fit in fits],
        "williams": tests,
        "figures": [str(path) for path in drawn],
    }
    return Reply(data, Group(*tables))


def _part(fit: Any) -> str:
    return "" if fit.given_length is None else f"{fit.given_length:.3f}"


def _draw(ratings: Any, fits: Any, folder: Path) -> list[Path]:
    """Figure 3: a regression for each metric, and the ratings of each system."""
    import math
    import re

    import numpy as np

    from fabula.bench.experiments.figures import distributions, regression
    from fabula.core.files import write_text

    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        f"rating-{re.sub(r'[^A-Za-z0-9-]+', '-', fit.metric)}.svg": regression(
            ratings.metrics[fit.metric], ratings.means, (fit.slope, fit.intercept), fit.metric,
            fit.r2,
        )
        for fit in fits
        if not math.isnan(fit.slope)
    }  # fmt: skip
    systems = np.array(ratings.systems)
    groups = {name: ratings.means[systems == name] for name in sorted(set(ratings.systems))}
    figures["ratings.svg"] = distributions(groups, "mean rating")
    for name, figure in figures.items():
        write_text(folder / name, figure)
    return [folder / name for name in figures]


def add_to(app: typer.Typer) -> None:
    app.command("agreement")(agreement)
