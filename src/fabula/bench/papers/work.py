"""State of a paper's run: settings, corpora, and a resumable store of measurements."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from fabula.bench.papers.corpora import Corpus
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.runs.source_code import package_source
from fabula.core.cell_store import CellStore, cell_name
from fabula.core.files import make_folder
from fabula.core.training import resumable

__all__ = ["Work"]

T = TypeVar("T")


class Work:
    """The argument of a table's ``run``: settings by name, corpora by role, memoised values.

    ``once`` memoises in memory; ``cell`` stores a JSON measurement in the folder, so that an
    interrupted run resumes, within an epoch of what it trains. ``force`` measures models on items
    they were trained on, too.
    """

    def __init__(
        self,
        paper: str,
        settings: Mapping[str, Any],
        corpora: Mapping[str, Corpus],
        *,
        seed: int = 0,
        folder: Path | None = None,
        force: bool = False,
    ) -> None:
        self.paper = paper
        self.settings = dict(settings)
        self.corpora = dict(corpora)
        self.seed = seed
        self.folder = folder
        self.force = force
        self.cells = None if folder is None else CellStore(folder / "cells")
        self._kept: dict[str, Any] = {}
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __getitem__(self, setting: str) -> Any:
        return self.settings[setting]

    def has(self, *roles: str) -> bool:
        return all(role in self.corpora for role in roles)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """The value of ``make()``, computed on first use and memoised."""
        if key not in self._kept:
            self._kept[key] = make()
        value: T = self._kept[key]
        return value

    def cell(self, key: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The measurement, computed on first use and stored in the folder if there is one."""
        return self.once(f"cell {key}", lambda: self._cell(key, measure))

    def _cell(self, key: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if self.cells is None or self.folder is None:
            return measure()
        depends = self._key(key)
        unfinished = self.folder / "unfinished" / cell_name(key, depends)

        def resumed() -> dict[str, Any]:
            with resumable(unfinished):
                return measure()

        return self.cells.cell(key, depends, resumed)

    def result(self, key: str, make: Callable[[], TableResult]) -> TableResult:
        """A whole table's rows and notes, stored as one cell."""

        def measure() -> dict[str, Any]:
            result = make()
            return {"rows": [asdict(row) for row in result.rows], "notes": list(result.notes)}

        cell = self.cell(key, measure)
        rows = [
            Row(**{**row, "labels": tuple(row["labels"]), "why": tuple(row["why"])})
            for row in cell["rows"]
        ]
        return TableResult(tuple(rows), tuple(cell["notes"]))

    def subfolder(self, name: str) -> Path:
        """A folder for an experiment's files; a temporary one if the run has no folder."""
        if self.folder is not None:
            return make_folder(self.folder / name)
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="fabula-reproduce-")
        return make_folder(Path(self._temporary.name) / name)

    def took(
        self, table: str, seconds: float, processor: float, *, finished: bool = True
    ) -> tuple[float, float]:
        """Add to a table's stored wall and processor seconds, over all attempts; return the totals.

        Reading a finished table back later leaves its times unchanged.
        """
        if self.cells is None:
            return seconds, processor
        key = self._key("times")
        times = self.cells.read("times", key) or {}
        unfinished = times.pop(f"{table} unfinished", (0.0, 0.0))
        finished_before = times.get(table, (0.0, 0.0))
        total = (unfinished[0] + seconds, unfinished[1] + processor)
        total = (max(finished_before[0], total[0]), max(finished_before[1], total[1]))
        times[table if finished else f"{table} unfinished"] = total
        self.cells.write("times", key, times)
        return total

    def close(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def _key(self, key: str) -> dict[str, Any]:
        """Everything a measurement depends on, as the cell's key."""
        return {
            "paper": self.paper,
            "key": key,
            "settings": self.settings,
            "corpora": {role: corpus.identity for role, corpus in self.corpora.items()},
            "seed": self.seed,
            "code": package_source(),
            **({"force": True} if self.force else {}),
        }
