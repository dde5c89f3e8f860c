"""fabula report"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import RunsArgument

PageOption = Annotated[Path, typer.Option("--output", "-o", help="The HTML page to write.")]


@command
def report(runs: RunsArgument, output: PageOption) -> Reply:
    """Write one self-contained HTML page about saved runs."""
    from fabula.bench.report import render_report
    from fabula.bench.runs.store import find_runs
    from fabula.cli.outputs import check_output
    from fabula.core.files import write_text

    check_output(output, [".html"])
    saved_runs = find_runs(runs)
    write_text(output, render_report(saved_runs))
    return Reply(
        {"runs": len(saved_runs), "output": str(output)}, f"{len(saved_runs)} runs in {output}"
    )


def add_to(app: typer.Typer) -> None:
    app.command("report")(report)
