"""The ordering paper's figures: lines with intervals, a regression, distributions of ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.bench.report.plots import SERIES, drawing, svg

__all__ = ["distributions", "lines", "regression"]

Floats = NDArray[np.float64]
Point = tuple[float, float, float, float]  # x, value, low, high


def lines(series: Mapping[str, Sequence[Point]], along: str, measure: str) -> str:
    """One line a model, with its interval at each point."""
    with drawing(2.7 + 0.18 * ((len(series) + 1) // 2)) as figure:
        axes = figure.subplots()
        for colour, (name, points) in zip(SERIES, series.items(), strict=False):
            x, value, low, high = np.array(points, dtype=float).reshape(-1, 4).T
            axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(x, value, "o-", color=colour, linewidth=1.6, markersize=4, label=name)
        axes.set_xlabel(along)
        axes.set_ylabel(measure)
        figure.legend(loc="outside lower left", ncols=2, frameon=False, handlelength=1.2)
    return svg(figure, f"{measure} by {along} for {', '.join(series)}")


def regression(x: Floats, y: Floats, line: tuple[float, float], name: str, r2: float) -> str:
    """Mean ratings over a metric, with the line fitted: slope and intercept."""
    with drawing(2.8) as figure:
        axes = figure.subplots()
        axes.plot(x, y, "o", color=SERIES[0], markersize=4, alpha=0.6)
        ends = np.array([np.nanmin(x), np.nanmax(x)])
        axes.plot(ends, line[0] * ends + line[1], color=SERIES[1], linewidth=1.6)
        axes.set_xlabel(name)
        axes.set_ylabel("mean rating")
        axes.set_title(f"R² = {r2:.3f}", fontsize=9.5, loc="left")
    return svg(figure, f"mean rating over {name}, R squared {r2:.3f}")


def distributions(groups: Mapping[str, Floats], what: str) -> str:
    """How the values of each group are distributed: smoothed shares."""
    every = np.concatenate(list(groups.values()))
    low, high = float(every.min()), float(every.max())
    reach = max(high - low, 1.0)
    grid = np.linspace(low - 0.15 * reach, high + 0.15 * reach, 200)
    with drawing(2.8) as figure:
        axes = figure.subplots()
        for colour, (name, values) in zip(SERIES, groups.items(), strict=False):
            # Silverman's rule; a group that never varies is drawn as wide as a tenth.
            width = max(0.9 * float(np.std(values)) * len(values) ** -0.2, 0.05 * reach)
            shares = np.exp(-0.5 * ((grid[:, None] - values[None, :]) / width) ** 2).mean(axis=1)
            shares /= width * np.sqrt(2 * np.pi)
            axes.plot(grid, shares, color=colour, linewidth=1.6, label=name or "all")
        axes.set_xlabel(what)
        axes.set_ylabel("density")
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside lower left", ncols=2, frameon=False, handlelength=1.2)
    return svg(figure, f"distribution of {what} for {', '.join(groups)}")
