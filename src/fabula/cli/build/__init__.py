"""fabula build: one command a file."""

from __future__ import annotations

import typer

from fabula.cli.build import chains, conversations, endings, event_tests, ordering, pairs, salads

app = typer.Typer(help="Build benchmark items from any corpus.", no_args_is_help=True)


def add_to(parent: typer.Typer) -> None:
    for command in (salads, ordering, chains, event_tests, endings, conversations, pairs):
        command.add_to(app)
    parent.add_typer(app, name="build")
