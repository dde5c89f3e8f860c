"""Figures as SVG text that takes its colours from the page, so they read in light and in dark."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FAINT", "INK", "SERIES", "SOFT", "drawing", "short", "svg"]

# Drawn with stand-in colours, which ``svg`` replaces by the page's CSS variables. The fallback
# after the comma is for an SVG that is saved on its own.
INK, SOFT, FAINT = "#010101", "#020202", "#030303"
SERIES = tuple(f"#0404{number:02x}" for number in range(1, 9))
_FALLBACK = ("#2f6690", "#c8553d", "#588157", "#8e6c8a", "#b08900", "#3d8b8b", "#a44a6b", "#6b705c")
_VARIABLES = {
    INK: "var(--ink, #222222)",
    SOFT: "var(--soft, #6b6b6b)",
    FAINT: "var(--line, #d8d8d8)",
    **{
        colour: f"var(--series-{number}, {fallback})"
        for number, (colour, fallback) in enumerate(zip(SERIES, _FALLBACK, strict=True), 1)
    },
}
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, copied and searched
    "svg.hashsalt": "fabula",  # the same picture, the same bytes
    "font.family": "sans-serif",
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "text.parse_math": False,  # a model called "a$b$" is not mathematics
}
_WIDTH = 4.6  # inches: narrow enough to be read on a phone without scaling it away


def svg(figure: Figure, description: str) -> str:
    """A figure as an ``<svg>`` element to put into a page; the same figure gives the same text."""
    import matplotlib

    stream = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # Its own font may lack a name's script; the reader's browser draws the text, not it.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(stream, format="svg", metadata=nothing, transparent=True)
    text = stream.getvalue()
    text = text[text.index("<svg") :]  # no XML prologue inside a page
    text = re.sub(r"<style.*?</style>", "", text, count=1)  # it would hold for the whole page
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)  # they would repeat from figure to figure
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)  # the page's own
    text = re.sub(r'(<svg [^>]*?) width="[^"]*" height="[^"]*"', r"\1", text, count=1)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(description)}" ', 1)


@contextmanager
def drawing(height: float) -> Iterator[Figure]:
    """A figure of the page's width in the page's style, apart from pyplot's global state."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(_WIDTH, height), layout="constrained")


def short(name: str, longest: int = 26) -> str:
    """Both ends of a long name: sibling names differ at their ends, so the middle is dropped."""
    if len(name) <= longest:
        return name
    return f"{name[: longest - 9]}…{name[-8:]}"
