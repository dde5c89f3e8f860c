"""A key-value cache on disk: bytes by key, shared by all processes.

One SQLite file; its own locking makes it safe for several processes. A cache is never a reason to
fail: where its folder cannot be written or its file is damaged, it stays empty.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

__all__ = ["Shelf"]

_CHUNK = 500  # keys a query: below SQLite's limit on parameters in every build


class Shelf:
    """A table of keys and values in a SQLite file."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.table = table

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values that are there, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[bytes, bytes] = {}
        if not self.path.is_file():
            return found
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as base:
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                marks = ",".join("?" * len(part))
                found.update(
                    base.execute(f"SELECT * FROM {self.table} WHERE key IN ({marks})", part)
                )
        return found

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values; the first one kept under a key stays."""
        if not values:
            return
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as base:
            base.execute("BEGIN IMMEDIATE")  # waits its turn; a late upgrade of a lock would not
            base.executemany(f"INSERT OR IGNORE INTO {self.table} VALUES (?, ?)", values.items())
            base.commit()

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self.path, timeout=30)
        base.execute("PRAGMA synchronous=NORMAL")
        base.execute(
            f"CREATE TABLE IF NOT EXISTS {self.table} "
            "(key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
        )
        return base
