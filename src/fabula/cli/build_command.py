"""fabula build: one file a command, ``build_NAME.py``."""

from __future__ import annotations

import typer

from fabula.cli import build_chains, build_endings, build_events, build_ordering, build_salads

app = typer.Typer(help="Build benchmark items from any corpus.", no_args_is_help=True)


def add_to(parent: typer.Typer) -> None:
    for part in (build_salads, build_ordering, build_chains, build_events, build_endings):
        part.add_to(app)
    parent.add_typer(app, name="build")
