"""fabula serve"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

HostOption = Annotated[str, typer.Option("--host", help="The address to listen on.")]
PortOption = Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port.")]
StateOption = Annotated[
    Path | None, typer.Option("--state", help="Where the page keeps its piles; else user data.")
]
RunsOption = Annotated[
    list[Path], typer.Option("--runs", help="A folder of runs for the third tab; repeatable.")
]
TokenOption = Annotated[
    str, typer.Option("--token", help="Asked for by the page; needed for any but this machine.")
]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, max=16, help="Jobs at once.")]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ANY = ("0.0.0.0", "::")


@command
def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    state: StateOption = None,
    runs: RunsOption = [],  # noqa: B006
    token: TokenOption = "",
    workers: WorkersOption = 2,
) -> Reply:
    """Open the local page: paste or drop a pile, see the stories, put them right."""
    from fabula.core.files import data_folder
    from fabula.errors import MissingPart, UsageError
    from fabula.web.app import create_app

    if host not in _LOOPBACK and len(token) < 16:
        raise UsageError(
            f"--host {host} lets other machines in; give a --token of at least 16 characters"
        )
    try:
        import uvicorn
    except ImportError as error:
        raise MissingPart("uvicorn, for the page,", 'pip install "fabula[web]"') from error
    hosts = frozenset() if host in _LOOPBACK else frozenset(("*" if host in _ANY else host,))
    app = create_app(
        state or data_folder() / "page", runs=runs, hosts=hosts, token=token, workers=workers
    )
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"http://{shown}:{port}/{f'?token={token}' if token else ''}", err=True)
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)
    return Reply({"served": True})


def add_to(app: typer.Typer) -> None:
    app.command("serve")(serve)
