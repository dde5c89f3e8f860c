"""fabula verify"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

RatingsArgument = Annotated[
    str,
    typer.Argument(help="Rows of id, ending (right, wrong), rater, rating (1, 0, -1)."),
]
RatersOption = Annotated[int, typer.Option("--raters", help="Ratings each story needs.")]
KeptOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write what was decided, as JSONL.")
]


@command
def verify(ratings: RatingsArgument, raters: RatersOption = 3, output: KeptOption = None) -> Reply:
    """Keep the items whose right and wrong story every rater found right and wrong."""
    from fabula.cli.outputs import check_output, make_table
    from fabula.endings.collect.ratings import read_ratings
    from fabula.endings.collect.ratings import verify as run
    from fabula.text.io.records import write_records

    check_output(output, [".jsonl", ".parquet"])
    done = run(read_ratings(ratings), raters=raters)
    if output is not None:
        rows = [{"id": name, "kept": True, "why": ""} for name in done.kept]
        rows += [{"id": name, "kept": False, "why": why} for name, why in done.dropped.items()]
        write_records(output, rows)
    total = len(done.kept) + len(done.dropped)
    shown = [("kept", f"{len(done.kept):,} of {total:,}")]
    shown += [(why, f"{count:,}") for why, count in done.reasons.items()]
    shown += [
        ("two raters agree", f"{done.agreement:.3f}"),
        ("Fleiss's kappa", f"{done.kappa:.3f}"),
    ]
    return Reply(done.to_row(), make_table(("", ""), shown))


def add_to(app: typer.Typer) -> None:
    app.command("verify")(verify)
