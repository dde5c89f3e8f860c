"""fabula balance"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.tables import ContextOption, GoldAsOption, GoldOption, IdOption, OptionsOption

if TYPE_CHECKING:
    from rich.table import Table

    from fabula.audit.balance import Balance

DataArgument = Annotated[str, typer.Argument(help="Items, as for audit.")]
KeptOption = Annotated[
    Path, typer.Option("--output", "-o", help="Where the kept items go: .jsonl or .parquet.")
]
KeepOption = Annotated[float, typer.Option("--keep", help="Keep at least this share.")]
TargetOption = Annotated[
    float | None, typer.Option("--target", help="Stop at this accuracy; else chance and 2 points.")
]
RewriteOption = Annotated[
    Path | None, typer.Option("--rewrite", help="Also write the items to rewrite, worst first.")
]
EndingRegOption = Annotated[
    bool, typer.Option("--endingreg", help="Also judge by EndingReg, which parses every option.")
]


@command
def balance(
    data: DataArgument,
    output: KeptOption,
    keep: KeepOption = 0.6,
    target: TargetOption = None,
    rewrite: RewriteOption = None,
    endingreg: EndingRegOption = False,
    context: ContextOption = None,
    options: OptionsOption = None,
    gold: GoldOption = None,
    gold_as: GoldAsOption = None,
    id_: IdOption = None,
    seed: int = 0,
) -> Reply:
    """Find the subset, or the items to rewrite, that makes options alone tell least."""
    from fabula import __version__
    from fabula.audit.balance import balance as run
    from fabula.audit.item_table import ItemTable
    from fabula.audit.read import read_table
    from fabula.cli.inputs import packaged
    from fabula.cli.outputs import check_output
    from fabula.endings.formats.columns import Columns
    from fabula.text.io.records import write_records

    check_output(output, [".jsonl", ".jsonl.gz", ".parquet"])
    check_output(rewrite, [".jsonl", ".parquet"])
    columns = Columns.parse(context, options, gold, gold_as, id_)
    table = read_table(packaged(data), columns, gold_as=gold_as, seed=seed)
    done = run(table.items, keep=keep, target=target, seed=seed, endingreg=endingreg)
    kept = [table.items[index] for index in done.kept]
    meta = {"recipe": "balance", "source": data, "seed": seed, "keep": keep, "licence": None,
            "version": __version__, "fingerprint": ItemTable(kept).fingerprint}  # fmt: skip
    write_records(output, (item.to_row() for item in kept), meta=meta)
    if rewrite is not None:
        write_records(rewrite, done.to_row()["rewrite"])
    return Reply({**done.to_row(), "output": str(output)}, _shown(done))


def _shown(done: Balance) -> Table:
    from fabula.cli.outputs import make_table, with_interval

    total = len(done.kept) + len(done.dropped)
    kept = f"{len(done.kept):,} of {total:,} items kept"
    title = f"{kept}; options-only accuracy, chance {done.chance:.2f}"
    rows = [
        [
            row["judge"],
            f"{row['before']:.3f}",
            with_interval(row["after"], row["low"], row["high"]),
            f"{row['random']:.3f}",
        ]
        for row in done.table
    ]
    return make_table(["judge", "before", "after", "as many at random"], rows, title)


def add_to(app: typer.Typer) -> None:
    app.command("balance")(balance)
