"""A paper being run: its settings and corpora, and measurements that are made once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import fabula
from fabula.bench.papers.corpora import Corpus
from fabula.bench.papers.shape import Found, Row
from fabula.core.cell_store import CellStore
from fabula.core.files import make_folder

__all__ = ["Work"]

T = TypeVar("T")


class Work:
    """What a table's ``run`` is given.

    ``once`` keeps data in memory; ``cell`` keeps a measurement, JSON values, in the folder, so that
    a run that was stopped goes on where it was.
    """

    def __init__(
        self,
        paper: str,
        settings: Mapping[str, Any],
        corpora: Mapping[str, Corpus],
        *,
        seed: int = 0,
        folder: Path | None = None,
    ) -> None:
        self.paper = paper
        self.settings = dict(settings)
        self.corpora = dict(corpora)
        self.seed = seed
        self.folder = folder
        self.cells = None if folder is None else CellStore(folder / "cells")
        self._kept: dict[str, Any] = {}
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __getitem__(self, setting: str) -> Any:
        return self.settings[setting]

    def has(self, *roles: str) -> bool:
        return all(role in self.corpora for role in roles)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Made at first asking, and kept in memory."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def cell(self, key: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Measured at first asking, and kept in the folder if there is one."""
        return self.once(f"cell {key}", lambda: self._cell(key, measure))

    def _cell(self, key: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        return measure() if self.cells is None else self.cells.cell(key, self._key(key), measure)

    def found(self, key: str, make: Callable[[], Found]) -> Found:
        """Rows and notes measured at first asking; for a table that is one measurement."""

        def measure() -> dict[str, Any]:
            came = make()
            return {"rows": [asdict(row) for row in came.rows], "notes": list(came.notes)}

        cell = self.cell(key, measure)
        rows = [
            Row(**{**row, "labels": tuple(row["labels"]), "why": tuple(row["why"])})
            for row in cell["rows"]
        ]
        return Found(tuple(rows), tuple(cell["notes"]))

    def place(self, name: str) -> Path:
        """A folder for what an experiment keeps; without a folder, one that goes at the end."""
        if self.folder is not None:
            return make_folder(self.folder / name)
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="fabula-reproduce-")
        return make_folder(Path(self._temporary.name) / name)

    def took(
        self, table: str, seconds: float, processor: float, *, finished: bool = True
    ) -> tuple[float, float]:
        """How long a table took to measure, in as many attempts as it needed.

        Reading a finished table back later is no time at all, and changes nothing.
        """
        if self.cells is None:
            return seconds, processor
        key = self._key("times")
        known = self.cells.read("times", key) or {}
        begun = known.pop(f"{table} unfinished", (0.0, 0.0))
        before = known.get(table, (0.0, 0.0))
        now = (begun[0] + seconds, begun[1] + processor)
        now = (max(before[0], now[0]), max(before[1], now[1]))
        known[table if finished else f"{table} unfinished"] = now
        self.cells.write("times", key, known)
        return now

    def close(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def _key(self, key: str) -> dict[str, Any]:
        """All that a measurement depends on."""
        return {
            "paper": self.paper,
            "key": key,
            "settings": self.settings,
            "corpora": {role: corpus.identity for role, corpus in self.corpora.items()},
            "seed": self.seed,
            "version": fabula.__version__,
        }
