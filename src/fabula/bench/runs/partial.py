"""Answers of an unfinished evaluation, logged batch by batch so that it can resume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fabula.core.cell_store import AppendLog
from fabula.core.files import canonical

__all__ = ["Answers", "PartialAnswers"]

Answers = dict[str, str]  # item id -> answer row as JSON text


class PartialAnswers:
    """One line of JSON per batch, on disk before the next batch starts.

    Without a path it keeps the answers in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.answers: Answers = {}
        self.seconds = 0.0
        self._log = None if path is None else AppendLog(path)
        for answers, seconds in [] if self._log is None else self._log.read(_batch):
            self.answers |= answers
            self.seconds += seconds

    def add(self, ids: Sequence[str], rows: Sequence[Mapping[str, Any]], seconds: float) -> None:
        """Keep one batch of answers and the seconds it took."""
        batch = dict(zip(ids, map(canonical, rows), strict=True))
        self.answers |= batch
        self.seconds += seconds
        if self._log is not None:
            self._log.append({"answers": batch, "seconds": seconds})

    def discard(self) -> None:
        """Forget all answers, on disk too."""
        if self._log is not None:
            self._log.remove()
        self.answers, self.seconds = {}, 0.0


def _batch(line: Any) -> tuple[Answers, float]:
    return dict(line["answers"]), float(line["seconds"])
