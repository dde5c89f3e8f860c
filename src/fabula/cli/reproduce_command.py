"""fabula reproduce"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command

PaperArgument = Annotated[
    str | None, typer.Argument(metavar="PAPER[.TABLE]", help="Such as event-cloze.table1.")
]
CorpusOption = Annotated[
    list[str] | None, typer.Option("--corpus", help="What to run on; see --list. Repeatable.")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Fewer items: minutes, not hours.")]
ListOption = Annotated[bool, typer.Option("--list", help="List the papers and their tables.")]
FolderOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for the figures, as SVG.")
]


@command
def reproduce(
    paper: PaperArgument = None,
    corpus: CorpusOption = None,
    quick: QuickOption = False,
    list_: ListOption = False,
    output: FolderOption = None,
    seed: int = 0,
) -> Reply:
    """Run a paper's experiments again and print its numbers beside ours."""
    from rich.console import Group

    from fabula.bench.papers import papers
    from fabula.bench.papers import reproduce as run
    from fabula.errors import UsageError

    if list_:
        found = {name: papers.get(name) for name in papers}
        data = {name: {"title": p.title, "tables": list(p.tables)} for name, p in found.items()}
        lines = [
            f"{n}: {p.title}: {', '.join(p.tables)}; needs {p.corpus}" for n, p in found.items()
        ]
        return Reply({"papers": data}, "\n".join(lines))
    if paper is None:
        raise UsageError("name a paper, or ask for --list")
    tables = run(paper, corpus or (), quick=quick, seed=seed)
    if output is not None:
        _write_figures(tables, output)
    data = {
        name: {
            "title": table.title,
            "rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows],
            "notes": list(table.notes),
        }
        for name, table in tables.items()
    }
    return Reply(data, Group(*(part for table in tables.values() for part in _shown(table))))


def _shown(table: Any) -> list[Any]:
    from fabula.cli.outputs import make_table

    cells = [[str(cell) for cell in row] for row in table.rows]
    return [make_table(table.columns, cells, table.title), *table.notes]


def _write_figures(tables: dict[str, Any], output: Path) -> None:
    from fabula.errors import InputError
    from fabula.files import write_text

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", path=output) from error
    for name, table in tables.items():
        if table.figure is not None:
            write_text(output / f"{name}.svg", table.figure + "\n")


def add_to(app: typer.Typer) -> None:
    app.command("reproduce")(reproduce)
