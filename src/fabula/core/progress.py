"""Progress bars: shown by the command line on a terminal, silent everywhere else.

Library code wraps its long loops in ``track``. Nothing is printed unless a caller opened
``shown``, so importing and calling fabula from a program stays quiet.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

__all__ = ["reported", "shown", "track"]

T = TypeVar("T")
_display: ContextVar[Any] = ContextVar("fabula_progress", default=None)
PATIENCE = 1.0  # seconds before a bar appears: short work should not flicker


@contextmanager
def shown(wanted: bool = True) -> Iterator[None]:
    """Show the bars of ``track`` on standard error, if that is a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        token = _display.set(display)
        try:
            yield
        finally:
            _display.reset(token)


class _CallbackDisplay:
    """The part of rich's ``Progress`` that ``track`` uses, passing each update to a callback."""

    def __init__(self, callback: Callable[[str, int, int | None], None]) -> None:
        self.callback = callback
        self.bars: dict[int, tuple[str, int | None]] = {}

    def add_task(self, what: str, total: int | None, rate: str) -> int:
        bar = max(self.bars, default=0) + 1
        self.bars[bar] = (what, total)
        return bar

    def update(self, bar: int, completed: int, rate: str) -> None:
        what, total = self.bars[bar]
        self.callback(what, completed, total)

    def remove_task(self, bar: int) -> None:
        del self.bars[bar]


@contextmanager
def reported(tell: Callable[[str, int, int | None], None]) -> Iterator[None]:
    """Call ``tell(what, done, total)`` at each update of ``track``, for a page to show."""
    token = _display.set(_CallbackDisplay(tell))
    try:
        yield
    finally:
        _display.reset(token)


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Iterate over ``items`` with a progress bar: number done, rate and time left."""
    display = _display.get()
    if display is None:
        yield from items
        return
    if total is None:
        total = len(items) if hasattr(items, "__len__") else None  # type: ignore[arg-type]
    started = time.monotonic()
    bar = None
    done = 0
    try:
        for item in items:
            yield item
            done += 1
            elapsed = time.monotonic() - started
            if bar is None and elapsed > PATIENCE:
                bar = display.add_task(what, total=total, rate="")
            if bar is not None:
                display.update(bar, completed=done, rate=f"{done / elapsed:,.0f}/s")
    finally:
        if bar is not None:
            display.remove_task(bar)
