"""A paper being run: its settings and corpora, and measurements that are made once."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import fabula
from fabula.bench.papers.corpora import Corpus
from fabula.bench.papers.shape import Found, Row
from fabula.bench.runs.fingerprints import canonical
from fabula.core.files import fingerprint, write_text
from fabula.errors import InputError

__all__ = ["Work"]

T = TypeVar("T")


class Work:
    """What a table's ``run`` is given.

    ``once`` keeps data in memory; ``cell`` keeps a measurement, JSON values, in the folder, so that
    a run that was stopped goes on where it was. A cell is known by all that it depends on.
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
        if self.folder is None:
            return measure()
        label = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")[:60]
        path = _made(self.folder / "cells") / f"{label}-{self._name(key)}.json"
        if path.is_file():
            try:
                known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                return known
            except ValueError:
                pass  # not ours any more: it is measured again
        found = measure()
        write_text(path, json.dumps(found, indent=1) + "\n")
        return found

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
            return _made(self.folder / name)
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="fabula-reproduce-")
        return _made(Path(self._temporary.name) / name)

    def took(
        self, table: str, seconds: float, processor: float, *, finished: bool = True
    ) -> tuple[float, float]:
        """How long a table took to measure, in as many attempts as it needed.

        Reading a finished table back later is no time at all, and changes nothing.
        """
        if self.folder is None:
            return seconds, processor
        path = _made(self.folder / "cells") / f"times-{self._name('times')}.json"
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        begun = known.pop(f"{table} unfinished", (0.0, 0.0))
        before = known.get(table, (0.0, 0.0))
        now = (begun[0] + seconds, begun[1] + processor)
        now = (max(before[0], now[0]), max(before[1], now[1]))
        known[table if finished else f"{table} unfinished"] = now
        write_text(path, json.dumps(known) + "\n")
        return now

    def close(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def _name(self, key: str) -> str:
        told = {
            "paper": self.paper,
            "key": key,
            "settings": self.settings,
            "corpora": {role: corpus.identity for role, corpus in self.corpora.items()},
            "seed": self.seed,
            "version": fabula.__version__,
        }
        return fingerprint([canonical(told)])[:8]


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", path=folder) from error
    return folder
