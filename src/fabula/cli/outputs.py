"""Output of commands: check paths, format tables and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fabula.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["check_output", "make_table", "with_interval"]


def check_output(output: Path | None, allowed: Iterable[str]) -> None:
    """Raise if the output path has a wrong suffix or no folder, before any work is done."""
    allowed = sorted(allowed)
    if output is None:
        return
    if not output.name.endswith(tuple(allowed)):
        raise UsageError(f"-o {output}: the name must end in {', '.join(allowed)}")
    if not output.parent.is_dir():
        raise UsageError(f"-o {output}: the folder {output.parent} does not exist; create it first")


def make_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> Table:
    """A Rich table; columns of numbers are right-aligned."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    cells = [[Text(str(cell)) for cell in row] for row in rows]
    for index, column in enumerate(columns):
        numeric = bool(cells) and all(_is_number(row[index].plain) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def with_interval(value: float, low: float, high: float) -> str:
    """A value and its interval, as tables show them.

    >>> with_interval(0.5, 0.4, 0.6)
    '0.500 [0.400, 0.600]'
    """
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _is_number(text: str) -> bool:
    return bool(text) and (text[0].isdigit() or text[0] in "+-.") and any(c.isdigit() for c in text)
