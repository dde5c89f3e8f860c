"""The application: every command of ``commands/``, and the groups ``build`` and ``experiment``."""

from __future__ import annotations

import importlib

import typer

from fabula.cli.common import GROUP_SETTINGS, version_option

__all__ = ["app", "main"]

COMMANDS = (
    "assemble",
    "untangle",
    "order",
    "times",
    "events",
    "next",
    "choose",
    "split",
    "build",
    "stats",
    "audit",
    "lint",
    "verify",
    "balance",
    "train",
    "evaluate",
    "compare",
    "report",
    "leaderboard",
    "errors",
    "attention",
    "export",
    "experiment",
    "agreement",
    "reproduce",
    "list",
    "resources",
    "cache",
    "doctor",
    "serve",
    "mcp",
)

app = typer.Typer(
    name="fabula",
    help="Recover what happened from messy text, and measure how well any model can.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=GROUP_SETTINGS,
)
app.callback()(version_option)
for _name in COMMANDS:
    _room = _name if _name in ("build", "experiment") else f"commands.{_name}"
    importlib.import_module(f"fabula.cli.{_room}").add_to(app)


def main() -> None:
    """Run the command line: the program ``fabula``."""
    app()
