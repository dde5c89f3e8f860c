"""The answers of an evaluation that is still running, kept so that it can go on after a stop."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fabula.bench.runs.fingerprints import canonical
from fabula.errors import InputError

__all__ = ["Answers", "PartialAnswers"]

Answers = dict[str, str]  # item id -> answer row as JSON text


class PartialAnswers:
    """One line of JSON per batch, on disk before the next batch starts.

    Without a path it keeps the answers in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.answers: Answers = {}
        self.seconds = 0.0
        if path is not None and path.exists():
            self._read(path)

    def add(self, ids: Sequence[str], rows: Sequence[Mapping[str, Any]], seconds: float) -> None:
        """Keep one batch; when this returns, a power cut no longer loses it."""
        batch = dict(zip(ids, map(canonical, rows), strict=True))
        self.answers |= batch
        self.seconds += seconds
        if self.path is None:
            return
        line = json.dumps({"answers": batch, "seconds": seconds})
        try:
            with self.path.open("ab") as stream:
                stream.write(line.encode("ascii") + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(f"cannot write there ({error.strerror})", path=self.path) from error

    def discard(self) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        self.answers, self.seconds = {}, 0.0

    def _read(self, path: Path) -> None:
        """Take the whole lines, and cut off a torn one: the next batch must not be glued to it."""
        whole = 0
        with path.open("rb") as stream:
            for line in stream:
                try:
                    if not line.endswith(b"\n"):
                        break
                    batch = json.loads(line)
                    answers = dict(batch["answers"])
                    self.seconds += float(batch["seconds"])
                except (ValueError, KeyError, TypeError):
                    break
                self.answers |= answers
                whole += len(line)
        os.truncate(path, whole)
