"""The figures of a report: estimates, distributions, agreement."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fabula.core.figures import INK, SERIES, SOFT, drawing, short, svg

__all__ = ["SERIES", "agreement", "drawing", "ecdf", "forest", "reliability", "svg"]

Floats = NDArray[np.float64]


def forest(values: Mapping[str, tuple[float, float, float]], metric: str) -> str:
    """Estimates with their intervals, the first model on top: name -> (value, low, high)."""
    with drawing(0.75 + 0.3 * len(values)) as figure:
        axes = figure.subplots()
        for row, (value, low, high) in enumerate(values.values()):
            colour = SERIES[0] if row == 0 else SOFT
            axes.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="round")
            axes.plot([value], [row], "o", color=colour, markersize=5.5)
        axes.set_yticks(range(len(values)), [short(name) for name in values])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.set_ylim(len(values) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"{metric}, 95% interval")
    return svg(figure, f"{metric} of each model with its 95% interval")


def ecdf(scores: Mapping[str, Floats], metric: str) -> str:
    """Empirical cumulative distribution of item scores per model; lower lines are better."""
    with drawing(2.5 + 0.18 * len(scores)) as figure:
        axes = figure.subplots()
        for colour, (name, values) in zip(SERIES, scores.items(), strict=False):
            axes.ecdf(values[~np.isnan(values)], color=colour, linewidth=1.6, label=short(name))
        axes.set_ylim(0, 1.02)
        axes.set_xlabel(f"{metric} of one item")
        axes.set_ylabel("share of items at or below")
        figure.legend(loc="outside lower left", ncols=2, frameon=False, handlelength=1.2)
    return svg(figure, f"distribution of {metric} over items, for each model")


def reliability(probabilities: Floats, right: Floats) -> str:
    """Reliability diagram: share right by mean probability, in ten bins of equal width."""
    bins = np.clip((probabilities * 10).astype(int), 0, 9)
    filled_bins = np.unique(bins)
    mean_probability = [float(probabilities[bins == number].mean()) for number in filled_bins]
    share_right = [float(right[bins == number].mean()) for number in filled_bins]
    sizes = [60 * float((bins == number).mean()) ** 0.5 + 12 for number in filled_bins]
    with drawing(3.2) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle="--")
        axes.scatter(mean_probability, share_right, s=sizes, color=SERIES[0], zorder=3)
        axes.plot(mean_probability, share_right, color=SERIES[0], linewidth=1)
        least = min(0.5, *mean_probability, *share_right)
        axes.set_xlim(least - 0.02, 1.02)
        axes.set_ylim(least - 0.02, 1.02)
        axes.set_xlabel("probability given")
        axes.set_ylabel("share right")
    return svg(figure, "share right against the probability given")


def agreement(scores: Mapping[str, Floats], metric: str) -> str:
    """For right-or-wrong metrics: how many items are solved by none, one, ... all models."""
    asked = ~np.isnan(list(scores.values())).all(axis=0)  # some items take no part
    right = np.sum([values[asked] >= 1 for values in scores.values()], axis=0)
    items = np.bincount(right, minlength=len(scores) + 1)
    with drawing(2.5) as figure:
        axes = figure.subplots()
        bars = axes.bar(range(len(items)), items, width=0.7, color=SERIES[0])
        if len(items) <= 12:
            axes.bar_label(bars, padding=2, color=SOFT)
            axes.set_xticks(range(len(items)))
        axes.grid(visible=False, axis="x")
        axes.margins(y=0.12)
        axes.set_xlabel(f"models right on an item ({metric})")
        axes.set_ylabel("items")
    return svg(figure, f"number of items by how many models are right ({metric})")
