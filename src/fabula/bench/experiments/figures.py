"""The ordering paper's figures: lines with intervals, a regression, distributions of ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.core.figures import INK, SERIES, drawing, short, svg

__all__ = ["distributions", "lines", "matrix", "regression"]

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


def matrix(tables: Mapping[str, Floats], names: Sequence[str], measure: str) -> str:
    """Heat map per model: trained on the row, tested on the column."""
    from matplotlib.patches import Rectangle

    size = len(names)
    with drawing(0.5 + len(tables) * (1.0 + 0.32 * size)) as figure:
        all_axes = figure.subplots(len(tables), 1, squeeze=False)[:, 0]
        highest = max(0.01, *(float(np.nanmax(table)) for table in tables.values()))
        for axes, (name, table) in zip(all_axes, tables.items(), strict=True):
            for (row, column), value in np.ndenumerate(table):
                # The page's colour, the fuller the higher: it reads in light and in dark.
                share = float(np.clip(value / highest, 0, 1)) * 0.55
                square = (column - 0.47, row - 0.45)
                axes.add_patch(
                    Rectangle(square, 0.94, 0.9, color=SERIES[0], alpha=share, linewidth=0)
                )
                axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=INK)
            axes.set_xlim(-0.5, size - 0.5)
            axes.set_ylim(size - 0.5, -0.5)
            slant = {"rotation": 25, "ha": "right"} if sum(map(len, names)) > 48 else {}
            labels = [short(name) for name in names]
            axes.set_xticks(range(size), labels, **slant)
            axes.set_yticks(range(size), labels)
            axes.grid(visible=False)
            for side in ("left", "bottom"):
                axes.spines[side].set_visible(False)
            axes.set_xlabel("tested on")
            axes.set_ylabel("trained on")
            axes.set_title(f"{name}, {measure}", fontsize=9.5, loc="left")
    return svg(figure, f"{measure} of {', '.join(tables)} by what was trained and tested on")


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
    """Gaussian kernel density estimate of each group's values."""
    pooled = np.concatenate(list(groups.values()))
    low, high = float(pooled.min()), float(pooled.max())
    span = max(high - low, 1.0)
    grid = np.linspace(low - 0.15 * span, high + 0.15 * span, 200)
    with drawing(2.8) as figure:
        axes = figure.subplots()
        for colour, (name, values) in zip(SERIES, groups.items(), strict=False):
            # Silverman's rule; a group that never varies is drawn as wide as a tenth.
            width = max(0.9 * float(np.std(values)) * len(values) ** -0.2, 0.05 * span)
            shares = np.exp(-0.5 * ((grid[:, None] - values[None, :]) / width) ** 2).mean(axis=1)
            shares /= width * np.sqrt(2 * np.pi)
            axes.plot(grid, shares, color=colour, linewidth=1.6, label=name or "all")
        axes.set_xlabel(what)
        axes.set_ylabel("density")
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside lower left", ncols=2, frameon=False, handlelength=1.2)
    return svg(figure, f"distribution of {what} for {', '.join(groups)}")
