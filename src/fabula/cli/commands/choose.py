"""fabula choose"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import OutputOption, packaged
from fabula.cli.tables import ContextOption, GoldOption, IdOption, OptionsOption

EndingsArgument = Annotated[
    str, typer.Argument(help="Items: JSONL, CSV, Parquet, COPA's XML, or 'sample-endings'.")
]
ModelOption = Annotated[
    str, typer.Option("--model", "-m", help="A name, NAME:ARGUMENT, a folder, or best.")
]
GoldAsOption = Annotated[
    str | None,
    typer.Option("--gold-as", help="index (from 0, the default), number (from 1), letter or text."),
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Of a text file.")]


@command
def choose(
    endings: EndingsArgument,
    model: ModelOption = "best",
    context: ContextOption = None,
    options: OptionsOption = None,
    gold: GoldOption = None,
    gold_as: GoldAsOption = None,
    id_: IdOption = None,
    encoding: EncodingOption = "utf-8",
    output: OutputOption = None,
) -> Reply:
    """Choose the ending that should come next, for every item of a file.

    With -o FILE.jsonl every score is written; with -o FILE.csv (or .txt) a Story Cloze submission.
    Where the file has the answers, the accuracy is added.
    """
    from fabula.cli.outputs import check_output
    from fabula.endings.api import choose as run
    from fabula.endings.api import write_choices, write_submission
    from fabula.endings.formats.columns import Columns
    from fabula.endings.formats.tables import read_endings
    from fabula.errors import InputError

    check_output(output, [".jsonl", ".parquet", ".csv", ".txt"])
    columns = Columns.parse(context, options, gold, gold_as, id_)
    items = list(read_endings(packaged(endings), columns, encoding=encoding))
    if not items:
        raise InputError("there are no items to choose endings for", path=endings)
    choices = run(items, model=model)
    if output is not None:
        write = write_submission if output.suffix in (".csv", ".txt") else write_choices
        write(output, choices)
    data: dict[str, Any] = {
        "model": choices[0].model,
        "items": [choice.to_row() for choice in choices],
    }
    lines = [f"{choice.id}\t{choice.choice + 1}\t{choice.text}" for choice in choices]
    if all(item.gold is not None for item in items):
        from fabula.core.stats import wilson
        from fabula.endings.metrics import accuracy

        pairs = zip(items, choices, strict=True)
        right = sum(accuracy(item, choice.scores).total for item, choice in pairs)
        share = right / len(items)
        low, high = wilson(right, len(items))
        data["accuracy"] = {"value": share, "low": low, "high": high}
        lines.append(f"{right:g} of {len(items)} right: {share:.3f} [{low:.3f}, {high:.3f}]")
    return Reply(data, "\n".join(lines))


def add_to(app: typer.Typer) -> None:
    app.command("choose")(choose)
