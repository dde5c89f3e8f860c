"""Steps for the tests; workers import them by name."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def double(factor: int = 2) -> Any:
    def step(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            if row["value"] == 13:
                raise ValueError("thirteen is poison")
            yield {"id": row["id"], "value": row["value"] * factor}

    return step


def deadly(marker: str) -> Any:
    """Kills its own process once, on the row of value 7."""

    def step(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            if row["value"] == 7 and not Path(marker).exists():
                Path(marker).write_text("died here")
                os.kill(os.getpid(), signal.SIGKILL)
            yield row

    return step
