"""fabula mcp"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

FolderOption = Annotated[
    Path | None, typer.Option("--folder", help="Files below this folder may be read; else none.")
]
CharactersOption = Annotated[
    int, typer.Option("--max-characters", min=1, help="Characters that one call may bring.")
]
FilesOption = Annotated[int, typer.Option("--max-files", min=1, help="Files that a call may name.")]


@command
def mcp(
    folder: FolderOption = None,
    max_characters: CharactersOption = 200_000,
    max_files: FilesOption = 100,
) -> Reply:
    """Serve fabula's verbs to assistants (Model Context Protocol) on standard input and output."""
    from fabula.integrations.mcp_server import Limits, run_server

    run_server(folder, Limits(characters=max_characters, files=max_files))
    return Reply({"served": True})


def add_to(app: typer.Typer) -> None:
    app.command("mcp")(mcp)
