"""How time and memory grow with the input, as fitted exponents and as a picture.

    python -m benchmarks growth

Each curve doubles its input; the exponent is the slope of the logarithms over the larger half,
where fixed costs no longer count (over all sizes where there are no more than three). Time is of
the processor; memory is what Python and numpy allocate at most, traced in a run of its own.
(Beyond some 4,000 documents the splitter's cache, which is bounded, is made anew all the time and
would count as memory.) The picture goes to ``runs/growth.svg``.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MOST = 1.25  # n log n over these sizes is below 1.15; the rest is noise


@dataclass(frozen=True, slots=True)
class Curve:
    """Sizes, seconds, megabytes; ``allowed`` is the exponent that is right for it, and why."""

    name: str
    sizes: list[int]
    seconds: list[float]
    megabytes: list[float]
    allowed: float = MOST
    why: str = ""

    @property
    def exponent(self) -> float:
        return _slope(self.sizes, self.seconds)

    @property
    def memory_exponent(self) -> float:
        """Less than a megabyte is as good as nothing, and noise."""
        return _slope(self.sizes, [max(value, 1.0) for value in self.megabytes])


def _slope(sizes: list[int], values: list[float]) -> float:
    half = len(sizes) // 2 if len(sizes) > 3 else 0
    x, y = np.log(sizes[half:]), np.log(np.maximum(values[half:], 1e-9))
    return float(np.polyfit(x, y, 1)[0])


def measure(
    name: str,
    sizes: list[int],
    prepare: Callable[[int], Callable[[], Any]],
    allowed: float = MOST,
    why: str = "",
    rounds: int = 3,
) -> Curve:
    seconds, megabytes = [], []
    for size in sizes:
        work = prepare(size)
        took = []
        for _ in range(rounds):
            started = time.process_time()
            work()
            took.append(time.process_time() - started)
        seconds.append(max(min(took), 1e-6))
        tracemalloc.start()
        work()
        megabytes.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    return Curve(name, sizes, seconds, megabytes, allowed, why)


def run(quick: bool) -> list[dict[str, Any]]:
    number, rounds = (3, 1) if quick else (6, 3)
    curves = [
        measure(name, _sizes(first, number), prepare, rounds=rounds)
        for name, first, prepare in (
            ("documents to ordering items", 125, _ordering),
            ("documents to salads", 125, _salads),
            ("chains to counts", 2_000, _counts),
            ("options an item", 32, _options),
        )
    ]
    if not quick:
        why = "every pair is scored, then sentences are moved until nothing gains"
        curves.append(measure("sentences a pile", _sizes(25, 5), _pile, 2.7, why))
    Path("runs").mkdir(exist_ok=True)
    Path("runs/growth.svg").write_text(picture(curves), encoding="utf-8")
    return [row for curve in curves for row in _rows(curve, quick)]


def _sizes(first: int, number: int) -> list[int]:
    return [first * 2**i for i in range(number)]


def _rows(curve: Curve, quick: bool) -> list[dict[str, Any]]:
    last = f"{curve.sizes[0]:,} to {curve.sizes[-1]:,}; at the end {curve.seconds[-1]:.3g} s, "
    last += f"{curve.megabytes[-1]:.3g} MB" + (f"; {curve.why}" if curve.why else "")
    empty = dict.fromkeys(("peer", "ratio"))
    bar = f"<= {curve.allowed:g}"
    return [
        {"name": f"growth, {curve.name}, {what}", "ours": value, **empty, "bar": bar,
         "ok": None if quick else bool(value <= curve.allowed), "note": last}
        for what, value in (("time", curve.exponent), ("memory", curve.memory_exponent))
    ]  # fmt: skip


def _documents(number: int) -> list[Any]:
    from fabula.types import Document

    rng = random.Random(0)
    words = [f"word{i}" for i in range(500)]
    return [
        Document(
            f"d{i}",
            tuple(
                " ".join(f"{' '.join(rng.choices(words, k=9)).capitalize()}." for _ in range(3))
                for _ in range(4)
            ),
            category=f"c{i % 20}",
        )
        for i in range(number)
    ]


def _ordering(size: int) -> Callable[[], Any]:
    from fabula.ordering.build import build_texts

    documents = _documents(size)
    return lambda: sum(1 for _ in build_texts(documents, window=(5, 8)))


def _salads(size: int) -> Callable[[], Any]:
    from fabula.salads.build.mix import build_salads, read_sources

    documents = _documents(size)
    return lambda: sum(1 for _ in build_salads(read_sources(documents)[0], n=size))


def _counts(size: int) -> Callable[[], Any]:
    from benchmarks.event_models import made_up
    from fabula.events.counts.counting import count

    chains = list(made_up(size))
    return lambda: count(chains)


def _options(size: int) -> Callable[[], Any]:
    from fabula.endings.items import Ending
    from fabula.endings.models.endingreg.model import EndingReg

    rng = random.Random(0)
    words = [f"word{i}" for i in range(300)]
    text = lambda: f"{' '.join(rng.choices(words, k=8))}."  # noqa: E731
    small = [Ending(f"t{i}", (text(),), (text(), text()), gold=i % 2) for i in range(30)]
    model = EndingReg(groups=("chars", "sentiment"), grid=(0.1,), folds=2, least=1).fit(small)
    items = [Ending("many", (text(),), tuple(text() for _ in range(size)))]
    return lambda: model.score(items)


def _pile(size: int) -> Callable[[], Any]:
    from fabula.salads.items import Salad
    from fabula.salads.models.context.model import Context
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    texts = [s.text for d in read_documents("sample") for s in split_sentences(d)][:size]
    model = Context()
    pile = [Salad(id="pile", sentences=tuple(texts), stories=4)]
    model.group(pile)  # the vectors are in the cache from here on
    return lambda: model.group(pile)


def picture(curves: list[Curve]) -> str:
    """Time and memory against size, both by tens, a line a curve."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    from fabula.core.figures import SERIES, drawing, svg

    plain = FuncFormatter(lambda value, _: f"{value:,g}")
    with drawing(6.4) as figure:
        panels = figure.subplots(2, 1, sharex=True)
        for panel, what in zip(panels, ("processor seconds", "megabytes"), strict=True):
            for colour, curve in zip(SERIES, curves, strict=False):
                values = curve.seconds if what.startswith("processor") else curve.megabytes
                said = f"{curve.name}: time n^{curve.exponent:.2f}, "
                said += f"memory n^{curve.memory_exponent:.2f}"
                panel.plot(curve.sizes, values, marker="o", markersize=3, color=colour, label=said)
            panel.set_xscale("log")
            panel.set_yscale("log")
            for axis in (panel.xaxis, panel.yaxis):
                axis.set_major_locator(LogLocator(10.0, numticks=6))
                axis.set_minor_locator(NullLocator())
                axis.set_major_formatter(plain)
            panel.set_ylabel(what)
        panels[-1].set_xlabel("documents, chains, options or sentences")
        lines, names = panels[0].get_legend_handles_labels()
        figure.legend(lines, names, loc="outside lower left", fontsize=8, frameon=False)
        said = "; ".join(f"{curve.name} n^{curve.exponent:.2f}" for curve in curves)
        return svg(figure, f"Time and memory against the size of the input: {said}")
