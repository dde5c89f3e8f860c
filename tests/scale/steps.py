"""Steps for the tests; workers import them by name."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fabula.errors import MissingPart
from fabula.scale.worker import Step, Tally


def double(factor: int = 2) -> Step:
    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        for row in rows:
            if row["value"] == 13:
                raise ValueError("thirteen is poison")
            tally.add("doubled")
            yield {"id": row["id"], "value": row["value"] * factor}

    return step


def deadly(marker: str | None = None, value: int = 7) -> Step:
    """Kills its own process on the row of this value: once, if there is a marker to leave."""

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        for row in rows:
            if row["value"] == value and not (marker and Path(marker).exists()):
                if marker:
                    Path(marker).write_text("died here")
                os.kill(os.getpid(), signal.SIGKILL)
            yield row

    return step


def wanting() -> Step:
    """Cannot work on this machine, whatever the row."""

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        raise MissingPart("a pipeline", "pip install it")

    return step
