"""The command line: one command a file, each a thin skin over the library."""

from fabula.cli.app import COMMANDS, app, main

__all__ = ["COMMANDS", "app", "main"]
