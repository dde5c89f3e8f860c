"""The overview figure of an audit, and the histogram that several probes draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import Finding
from fabula.audit.item_table import ItemTable
from fabula.core.figures import INK, SERIES, SOFT, drawing, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RIGHT", "WRONG", "accuracies", "label_rows", "right_wrong_histogram"]

Floats = NDArray[np.float64]
RIGHT, WRONG = SERIES[2], SERIES[1]


def accuracies(findings: Sequence[Finding]) -> str:
    """The accuracy of each probe's best rule without the context, against chance; as SVG."""
    rows = [
        f
        for f in findings
        if f.accuracy is not None and f.chance is not None and f.covers_all_items
    ]
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
        axes.margins(x=0.14)
        label_rows(axes, [f.name for f in rows])
        axes.set_xlabel("right answers without the context; dashed: chance")
    return svg(figure, "accuracy of the best rule of each probe, against chance")


def label_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a chart of shares, the first at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelcolor=INK)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(_percent)


def right_wrong_histogram(values: Floats, table: ItemTable, edges: Floats, label: str) -> str:
    """The share of right and of wrong options in each bin, with their means; as SVG."""
    with drawing(2.5) as figure:
        axes = figure.subplots()
        for name, colour, chosen in (("wrong", WRONG, ~table.right), ("right", RIGHT, table.right)):
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


def _percent(value: float, _position: Any = None) -> str:
    """A tick label, as matplotlib asks for it."""
    return f"{value:.0%}"
