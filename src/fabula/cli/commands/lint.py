"""fabula lint"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.tables import ContextOption, GoldAsOption, GoldOption, IdOption, OptionsOption

if TYPE_CHECKING:
    from fabula.endings.items import Ending

EndingsArgument = Annotated[
    str | None, typer.Argument(help="Items, as for audit; without a file you are asked.")
]
MethodOption = Annotated[
    int,
    typer.Option(
        "--method", help="1: both endings written (2 words); 2: one made from the other (3)."
    ),
]
ModelOption = Annotated[
    str | None, typer.Option("--model", help="Folder of a trained endingreg, for the leak score.")
]


@command
def lint(
    endings: EndingsArgument = None,
    method: MethodOption = 1,
    model: ModelOption = None,
    context: ContextOption = None,
    options: OptionsOption = None,
    gold: GoldOption = None,
    gold_as: GoldAsOption = None,
    id_: IdOption = None,
) -> Reply:
    """Check right and wrong endings as they are written: length, subject, negation, tone, copies.

    Without a file you are asked for a story and its two endings, until the story is empty. The exit
    code is 1 when there is something to mend.
    """
    from fabula.endings.collect.lint import lint as run

    judge = _judge(model)
    if endings is None:
        return _ask(method, judge)
    items = _read(endings, context, options, gold, gold_as, id_)
    remarks = run(items, method=method, model=judge)
    to_mend = len({remark.id for remark in remarks})
    lines = [f"{r.id}: option {r.option}: {r.check}: {r.message}" for r in remarks]
    lines.append(f"{len(items):,} items, {to_mend:,} to mend, {len(remarks):,} remarks")
    data = {"items": len(items), "to_mend": to_mend, "remarks": [r.to_row() for r in remarks]}
    return Reply(data, "\n".join(lines), failed=bool(remarks))


def _read(
    path: str, context: str | None, options: str | None, gold: str | None, gold_as: str | None,
    identifier: str | None,
) -> list[Ending]:  # fmt: skip
    from fabula.audit.read import read_table
    from fabula.cli.inputs import packaged
    from fabula.endings.formats.columns import Columns
    from fabula.errors import InputError

    columns = Columns.parse(context, options, gold, gold_as, identifier)
    table = read_table(packaged(path), columns, gold_as=gold_as)
    if table.problems:
        raise InputError(table.problems[0].what, path=path, line=table.problems[0].line)
    return table.items


def _judge(folder: str | None) -> Any:
    from fabula.registry import create_model

    return create_model("endings", folder) if folder else None


def _ask(method: int, judge: Any) -> Reply:
    """One story after another, each remark at once."""
    from fabula.endings.collect.lint import lint as run
    from fabula.endings.items import Ending

    remarks: list[dict[str, Any]] = []
    items: list[Ending] = []
    while True:
        story = typer.prompt("Story", default="", show_default=False, err=True).strip()
        if not story:
            break
        right = typer.prompt("Right ending", err=True).strip()
        wrong = typer.prompt("Wrong ending", err=True).strip()
        items.append(Ending(str(len(items) + 1), (story,), (right, wrong), 0))
        new = [r for r in run(items, method=method, model=judge) if r.id == items[-1].id]
        for remark in new:
            typer.echo(f"  {remark.check}: {remark.message}", err=True)
        if not new:
            typer.echo("  fine", err=True)
        remarks += [remark.to_row() for remark in new]
    bad = len({remark["id"] for remark in remarks})
    data = {"items": len(items), "to_mend": bad, "remarks": remarks}
    return Reply(data, f"{len(items)} items, {bad} to mend", failed=bool(remarks))


def add_to(app: typer.Typer) -> None:
    app.command("lint")(lint)
