"""docs/cli.md, made from --help: ``python -m fabula.cli.manual [--check] FILE``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from fabula.core.files import write_page

__all__ = ["manual"]


def manual() -> str:
    """Every command's help as Markdown, at a fixed width, so that it can be compared."""
    import typer

    from fabula.cli import app

    parts = ["# The command line", "", "Made by `make docs` from `--help`; do not edit."]
    for name, help_text in _pages(typer.main.get_command(app), "fabula"):
        parts += ["", f"## {name}", "", "```text", help_text, "```"]
    return "\n".join(parts) + "\n"


def _pages(node: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, _help(node, path)
    for name, child in sorted(_shown(node).items()):
        yield from _pages(child, f"{path} {name}")


def _shown(node: Any) -> dict[str, Any]:
    """The commands of a group that --help lists."""
    commands: dict[str, Any] = getattr(node, "commands", {})
    return {name: child for name, child in commands.items() if not child.hidden}


def _help(node: Any, path: str) -> str:
    """Plain lines instead of rich panels: a page for reading, not a terminal."""
    import typer

    with typer.Context(node, info_name=path, max_content_width=96, terminal_width=96) as context:
        formatter = context.make_formatter()
        node.format_usage(context, formatter)
        node.format_help_text(context, formatter)
        rows = [record for p in node.get_params(context) if (record := p.get_help_record(context))]
        with formatter.section("Options and arguments"):
            formatter.write_dl(rows)
        if hasattr(node, "commands"):
            with formatter.section("Commands"):
                formatter.write_dl(
                    [(name, child.get_short_help_str(80)) for name, child in _shown(node).items()]
                )
        return str(formatter.getvalue()).rstrip()


if __name__ == "__main__":
    raise SystemExit(write_page(sys.argv[1:], manual(), "--help"))
