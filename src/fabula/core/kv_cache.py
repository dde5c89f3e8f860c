"""A key-value cache on disk: one SQLite file, shared by all processes through SQLite's locking.

A cache never raises: where its folder cannot be written or its file is damaged, it stays empty.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

__all__ = ["KeyValueCache"]

_CHUNK = 500  # keys a query: below SQLite's limit on parameters in every build


class KeyValueCache:
    """A table of keys and values in a SQLite file."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.table = table

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The stored values by key; missing keys are left out."""
        wanted = list(dict.fromkeys(keys))
        values: dict[bytes, bytes] = {}
        if not self.path.is_file():
            return values
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as connection:
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                marks = ",".join("?" * len(part))
                values.update(
                    connection.execute(f"SELECT * FROM {self.table} WHERE key IN ({marks})", part)
                )
        return values

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Store values; a key that is stored already keeps its value."""
        if not values:
            return
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as connection:
            connection.execute(
                "BEGIN IMMEDIATE"
            )  # waits its turn; a late upgrade of a lock would not
            connection.executemany(
                f"INSERT OR IGNORE INTO {self.table} VALUES (?, ?)", values.items()
            )
            connection.commit()

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=30)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {self.table} "
            "(key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
        )
        return connection
