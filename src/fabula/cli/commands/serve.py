"""fabula serve"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

HostOption = Annotated[str, typer.Option("--host", help="The address to listen on.")]
PortOption = Annotated[
    int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 for any that is free.")
]
StateOption = Annotated[
    Path | None, typer.Option("--state", help="Where the page keeps its piles; else user data.")
]
RunsOption = Annotated[
    list[Path], typer.Option("--runs", help="A folder of runs for the third tab; repeatable.")
]
TokenOption = Annotated[
    str,
    typer.Option(
        "--token", help="The token; other users see it in the process list: rather $FABULA_TOKEN."
    ),
]
TokenFileOption = Annotated[
    Path | None, typer.Option("--token-file", help="A file that holds the token.")
]
NoTokenOption = Annotated[
    bool, typer.Option("--no-token", help="Ask nobody on this machine for a token.")
]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, max=16, help="Jobs at once.")]
MinutesOption = Annotated[
    float, typer.Option("--job-minutes", min=0.01, help="The longest that a job may take.")
]
MemoryOption = Annotated[
    int, typer.Option("--job-memory", min=100, help="Megabytes that a job may take.")
]

CorpusArgument = Annotated[
    Path | None, typer.Argument(help="A folder of an assembled corpus, to show that alone.")
]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ANY = ("0.0.0.0", "::")


@command
def serve(
    corpus: CorpusArgument = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    state: StateOption = None,
    runs: RunsOption = [],  # noqa: B006
    token: TokenOption = "",
    token_file: TokenFileOption = None,
    no_token: NoTokenOption = False,
    workers: WorkersOption = 2,
    job_minutes: MinutesOption = 30,
    job_memory: MemoryOption = 4096,
) -> Reply:
    """Open the local page: paste or drop a pile, see the stories, put them right."""
    from fabula.core.files import data_folder
    from fabula.web.app import create_app
    from fabula.web.jobs import Limits
    from fabula.web.server import bind, hold_state, run_server

    token = _token(token, token_file, no_token, host)
    if corpus is not None:
        return _serve_corpus(corpus, host, port, token)
    folder = state or data_folder() / "page"
    hosts = _hosts(host)
    limits = Limits(60 * job_minutes, job_memory)
    with hold_state(folder), bind(host, port) as bound:
        app = create_app(
            folder, runs=runs, hosts=hosts, token=token, workers=workers, limits=limits
        )
        link = _link(host, bound.getsockname()[1], token)
        run_server(app, bound, lambda: typer.echo(link, err=True))
    return Reply({"served": True})


def _link(host: str, port: int, token: str) -> str:
    from urllib.parse import quote

    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={quote(token, safe='')}" if token else "")


def _serve_corpus(folder: Path, host: str, port: int, token: str) -> Reply:
    """The index of a corpus, which makes the accounts that are opened."""
    from fabula.web.corpus_page.app import create_corpus_app
    from fabula.web.server import bind, run_server

    app = create_corpus_app(folder, hosts=_hosts(host), token=token)
    with bind(host, port) as bound:
        link = _link(host, bound.getsockname()[1], token)
        run_server(app, bound, lambda: typer.echo(link, err=True))
    return Reply({"served": True})


def _hosts(host: str) -> frozenset[str]:
    return frozenset() if host in _LOOPBACK else frozenset(("*" if host in _ANY else host,))


def _token(given: str, file: Path | None, none: bool, host: str) -> str:
    """The token: from the option, a file or the environment, else a new random one."""
    import secrets

    from fabula.errors import InputError, UsageError

    if given:
        typer.echo("fabula: other users see --token in the process list; "
                   "$FABULA_TOKEN and --token-file hide it", err=True)  # fmt: skip
    token = given or os.environ.pop("FABULA_TOKEN", "")
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8").strip("\r\n")
        except (OSError, UnicodeError) as error:
            raise InputError(f"holds no token that can be read ({error})", path=file) from error
    if none and (token or host not in _LOOPBACK):
        raise UsageError("--no-token is for the page on this machine alone, and without a token")
    if (file is not None or token) and host not in _LOOPBACK and len(token) < 16:
        raise UsageError(
            f"--host {host} lets other machines in; give a token of at least 16 characters, or none"
            " for a random one"
        )
    if file is not None and not token:
        raise InputError("holds no token", path=file)
    return token if token or none else secrets.token_urlsafe(24)


def add_to(app: typer.Typer) -> None:
    app.command("serve")(serve)
