"""fabula reproduce"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command

PaperArgument = Annotated[
    str | None,
    typer.Argument(metavar="PAPER[.TABLE]", help="Such as event-cloze.table1; see --list."),
]
CorpusOption = Annotated[
    list[str] | None,
    typer.Option("--corpus", help="ROLE=PATH, a corpus for a role of --list. Repeatable."),
]
QuickOption = Annotated[
    bool,
    typer.Option("--quick", help="Minutes: few items, tiny networks, packaged text stands in."),
]
ListOption = Annotated[bool, typer.Option("--list", help="Every table and what it needs.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="A size, such as test=400. Repeatable.")
]
FolderOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Folder for pages and figures; run again to go on."),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Measure models on items they were trained on, too.")
]


@command
def reproduce(
    paper: PaperArgument = None,
    corpus: CorpusOption = None,
    quick: QuickOption = False,
    list_: ListOption = False,
    set_: SetOption = None,
    output: FolderOption = None,
    force: ForceOption = False,
    seed: int = 0,
) -> Reply:
    """Run a paper's experiments again and print its numbers beside ours.

    Without a paper, --quick runs them all. Sizes are the paper's unless --quick or --set say
    otherwise. With -o every measurement is kept, and a run that was stopped goes on. A table that
    cannot be made says why and does not stop the others; the exit code is then 1.
    """
    from rich.console import Group

    from fabula.bench.papers import papers
    from fabula.bench.papers import reproduce as run
    from fabula.errors import UsageError

    if list_:
        return _listed()
    if paper is None and not quick:
        raise UsageError("name a paper (see --list), or run all with --quick")
    if paper is None and (corpus or set_):
        raise UsageError("--corpus and --set belong to one paper: name it")
    done = [
        run(
            name,
            corpus or (),
            quick=quick,
            settings=_settings(set_ or []),
            seed=seed,
            force=force,
            folder=None if output is None else output if paper else output / name,
        )
        for name in ([paper] if paper else papers.names())
    ]
    data = {result.name: result.to_row() for result in done}
    shown = [part for result in data.values() for part in _shown(result)]
    failed = any(result.failed for result in done)
    return Reply(data[done[0].name] if paper else data, Group(*shown), failed=failed)


def _settings(given: list[str]) -> dict[str, Any]:
    from fabula.cli.inputs import parse_setting

    settings: dict[str, Any] = {}
    for text in given:
        name, value = parse_setting(text)
        # 30,70 is a list of numbers, and kept as it is written.
        settings[name] = text.partition("=")[2] if isinstance(value, tuple) else value
    return settings


def _shown(summary: dict[str, Any]) -> list[Any]:
    from rich.text import Text

    from fabula.bench.papers.render import HEAD, about, cells, legend
    from fabula.cli.outputs import make_table

    parts: list[Any] = [Text(summary["title"], style="bold")]
    parts += [Text(f"- {line}") for line in about(summary)]
    for table in summary["tables"].values():
        if table["not_run"]:
            parts.append(Text(f"\n{table['title']}: not run: {table['not_run']}"))
        if table["rows"]:
            parts.append(make_table((*table["columns"], *HEAD), cells(table), table["title"]))
            parts += [Text(f"  {line}", style="dim") for line in legend(table)]
    return parts


def _listed() -> Reply:
    from rich.console import Group
    from rich.text import Text

    from fabula.bench.papers.listing import listing
    from fabula.cli.outputs import make_table

    data = listing()
    parts: list[Any] = []
    for name, paper in data.items():
        rows = [
            (f"{name}.{table}", told["title"], ", ".join(told["needs"]), told["quick"])
            for table, told in paper["tables"].items()
        ]
        parts.append(make_table(("name", "what", "corpora", "--quick here"), rows, paper["title"]))
        parts += [
            Text(f"  {role}: {told['what']}; {told['standin']}", style="dim")
            for role, told in paper["corpora"].items()
        ]
        sizes = ", ".join(f"{key} {value}" for key, value in paper["full"].items() if value)
        parts.append(Text(f"  full: {sizes}; {paper['full_time']}", style="dim"))
    return Reply({"papers": data}, Group(*parts))


def add_to(app: typer.Typer) -> None:
    app.command("reproduce")(reproduce)
