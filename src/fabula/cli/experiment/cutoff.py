"""fabula experiment cutoff"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

TrainingArgument = Annotated[Path, typer.Argument(help="Chains or a counts store to count.")]
TestsArgument = Annotated[Path, typer.Argument(help="Event tests to measure on.")]
CutoffOption = Annotated[
    list[int] | None, typer.Option("--cutoff", min=0, help="Cutoffs to try. Repeatable.")
]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Plot as SVG.")]


@command
def cutoff(
    training: TrainingArgument,
    tests: TestsArgument,
    cutoffs: CutoffOption = None,
    output: OutputOption = None,
) -> Reply:
    """Measure PMI with rare events left out of the ranking, for several cutoffs."""
    from dataclasses import asdict

    from fabula.bench.experiments.cutoff import cutoff_curve, plot
    from fabula.cli.outputs import check_output, make_table, with_interval
    from fabula.core.files import write_text
    from fabula.events.cloze.event_test import read_tests
    from fabula.events.counts.event_counts import Counts
    from fabula.events.formats.sources import read_training
    from fabula.events.models.count_model import counts_of
    from fabula.events.models.pmi import CUTOFFS

    check_output(output, [".svg"])
    items = read_training([training])
    counts = items if isinstance(items, Counts) else counts_of(items, skip=2, recipe=None)
    points = cutoff_curve(counts, list(read_tests(tests)), sorted(cutoffs or CUTOFFS))
    if output is not None:
        write_text(output, plot(points) + "\n")
    rows = [
        (str(p.cutoff), f"{p.candidates:,}", with_interval(p.recall, p.low, p.high)) for p in points
    ]
    table = make_table(("cutoff", "events ranked", "recall@50"), rows, "PMI by frequency cutoff")
    return Reply({"points": [asdict(point) for point in points]}, table)


def add_to(app: typer.Typer) -> None:
    app.command("cutoff")(cutoff)
