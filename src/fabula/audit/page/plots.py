"""The figures of an audit: right against wrong, words, places, slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import Finding
from fabula.audit.item_table import Sheet
from fabula.core.figures import FAINT, INK, SERIES, SOFT, drawing, short, svg

__all__ = ["accuracies", "lengths", "places", "slices", "tones", "words"]

Floats = NDArray[np.float64]
RIGHT, WRONG = SERIES[2], SERIES[1]


def accuracies(findings: Sequence[Finding]) -> str:
    """What each probe's best rule gets without the context, against chance."""
    rows = [f for f in findings if f.accuracy is not None and f.chance is not None]
    rows = [f for f in rows if f.name not in ("slices",)]
    if not rows:
        return ""
    with drawing(0.8 + 0.32 * len(rows)) as figure:
        axes = figure.subplots()
        for place, f in enumerate(rows):
            colour = WRONG if f.status == "leak" else SERIES[4] if f.status == "slight" else SOFT
            chance, reached = float(f.chance or 0), float(f.accuracy or 0)
            axes.plot([chance, reached], [place, place], color=colour, linewidth=2.4)
            axes.plot([reached], [place], "o", color=colour, markersize=6)
            axes.annotate(f"{reached:.0%}", (reached, place), xytext=(8, 0), va="center",
                          textcoords="offset points", color=INK)  # fmt: skip
        axes.axvline(float(rows[0].chance or 0), color=SOFT, linewidth=1, linestyle=(0, (3, 3)))
        axes.set_yticks(range(len(rows)), [f.name for f in rows])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.margins(x=0.14)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter(_percent)
        axes.set_xlabel("right answers without the context; dashed: chance")
    return svg(figure, "accuracy of the best rule of each probe, against chance")


def lengths(sheet: Sheet) -> str:
    """The share of right and of wrong options with so many words."""
    counts = sheet.words.counts
    widest = max(2, int(np.quantile(counts, 0.995))) if len(counts) else 2
    step = max(1, round(widest / 30))
    edges = np.arange(0, widest + 2 * step, step, dtype=np.float64) - 0.5
    return _two(counts.astype(float), sheet, edges, "tokens in an option")


def tones(sheet: Sheet) -> str:
    """The share of right and of wrong options in each band of VADER's score."""
    return _two(
        sheet.sentiment,
        sheet,
        np.arange(-10.5, 11.0).astype(np.float64) / 10,
        "tone (VADER, -1 to 1)",
    )


def _two(values: Floats, sheet: Sheet, edges: Floats, label: str) -> str:
    with drawing(2.5) as figure:
        axes = figure.subplots()
        for name, colour, chosen in (("wrong", WRONG, ~sheet.right), ("right", RIGHT, sheet.right)):
            part = np.clip(values[chosen], edges[0], edges[-1])
            heights = np.histogram(part, edges)[0] / max(len(part), 1)
            axes.stairs(heights, edges, color=colour, linewidth=1.8, label=name)
            axes.stairs(heights, edges, color=colour, alpha=0.15, fill=True)
            if len(part):
                axes.axvline(float(values[chosen].mean()), color=colour, linewidth=1,
                             linestyle=(0, (3, 3)))  # fmt: skip
        axes.yaxis.set_major_formatter(_percent)
        axes.set_xlabel(f"{label}; dashed: means")
        axes.set_ylabel("share of options")
        axes.grid(visible=False, axis="x")
        axes.legend(loc="upper right", frameon=False, handlelength=1.2)
    return svg(figure, f"{label}: right against wrong options")


def words(points: Sequence[Sequence[Any]], found: Mapping[str, float]) -> str:
    """Each word's z against the number of items it could tell apart; those that lean are named."""
    with drawing(3.4) as figure:
        axes = figure.subplots()
        n = np.array([point[0] for point in points], dtype=float)
        z = np.array([point[1] for point in points], dtype=float)
        axes.axhspan(-1.96, 1.96, color=FAINT, alpha=0.35, linewidth=0)
        axes.scatter(n, z, s=9, color=SOFT, alpha=0.55, linewidths=0)
        taken: list[tuple[float, float]] = []
        for x, y, word in points:
            if word not in found:
                continue
            colour = RIGHT if y > 0 else WRONG
            axes.scatter([x], [y], s=16, color=colour, linewidths=0)
            spot = (float(np.log10(x)), float(y))
            if len(taken) < 26 and all(
                abs(spot[0] - a) > 0.22 or abs(spot[1] - b) > 0.42 for a, b in taken
            ):
                taken.append(spot)
                axes.annotate(short(str(word), 14), (x, y), xytext=(4, 2), fontsize=8.5,
                              textcoords="offset points", color=INK)  # fmt: skip
        axes.set_xscale("log")
        axes.margins(x=0.16, y=0.08)
        ticks = [t for t in (10, 30, 100, 300, 1000, 3000, 10_000, 30_000) if t <= n.max() * 1.3]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("items in which the word could tell (log)")
        axes.set_ylabel("z: leans wrong  ·  leans right")
    return svg(figure, "z of each word against how often it could tell right from wrong")


def places(counts: Sequence[float], expected: Sequence[float]) -> str:
    """How often each place is right, and how often it would be by chance."""
    with drawing(2.3) as figure:
        axes = figure.subplots()
        bars = axes.bar(range(1, len(counts) + 1), counts, width=0.62, color=SERIES[0])
        axes.bar_label(bars, [f"{count:,.0f}" for count in counts], padding=7, color=SOFT)
        for place, hoped in enumerate(expected, 1):
            axes.plot([place - 0.42, place + 0.42], [hoped, hoped], color=WRONG, linewidth=1.6)
        axes.set_xticks(range(1, len(counts) + 1))
        axes.grid(visible=False, axis="x")
        axes.margins(y=0.14)
        axes.set_xlabel("place of the right option; line: by chance")
        axes.set_ylabel("items")
    return svg(figure, "how often each place is right")


def slices(rows: Sequence[Mapping[str, Any]]) -> str:
    """The options-only accuracy of each slice with its interval, and chance."""
    shown = [row for row in rows if row["value"] is not None][:40]
    if not shown:
        return ""
    with drawing(0.8 + 0.28 * len(shown)) as figure:
        axes = figure.subplots()
        for place, row in enumerate(shown):
            clear = row["low"] > row["chance"]
            colour = WRONG if clear else SOFT
            axes.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=2)
            axes.plot([row["value"]], [place], "o", color=colour, markersize=5.5)
            axes.plot([row["chance"]], [place], "|", color=INK, markersize=9)
        axes.set_yticks(range(len(shown)), [short(str(row["name"])) for row in shown])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter(_percent)
        axes.set_xlabel("options-only accuracy, 95% interval; bar: chance")
    return svg(figure, "options-only accuracy in each slice")


def _percent(value: float, _place: Any = None) -> str:
    return f"{value:.0%}"
