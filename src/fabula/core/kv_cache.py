"""A key-value cache on disk: one SQLite file, shared by all processes through SQLite's locking.

A cache never raises: where its folder cannot be written, is somebody else's or its file is damaged,
it stays empty. Each value is stored with a digest, and one that has changed since is dropped.
"""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from fabula.core.safety.ownership import claim
from fabula.errors import InputError

__all__ = ["CACHE_FILES", "KeyValueCache"]

CACHE_FILES = re.compile(r"[\w.-]+\.sqlite(?:-journal|-wal|-shm)?")
# What stands beside them: folders of ``build_once``, named by a fingerprint, and unfinished ones.
_OURS = re.compile(rf"{CACHE_FILES.pattern}|[0-9a-f]{{16}}|\.writing-[a-z0-9_]{{8}}.*")
_CHUNK = 500  # keys a query: below SQLite's limit on parameters in every build
_DIGEST = 8  # bytes before each value
_log = logging.getLogger("fabula.core")


class KeyValueCache:
    """A table of keys and values in a SQLite file."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self.table = f"{table}_checked"

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The stored values by key; missing and damaged ones are left out."""
        wanted = list(dict.fromkeys(keys))
        values: dict[bytes, bytes] = {}
        if not self.path.is_file():
            return values
        damaged: list[tuple[bytes]] = []
        with self._never_raising(), closing(self._connect()) as connection:
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                marks = ",".join("?" * len(part))
                query = f"SELECT * FROM {self.table} WHERE key IN ({marks})"
                for key, stored in connection.execute(query, part):
                    if stored[:_DIGEST] == _digest(key, stored[_DIGEST:]):
                        values[key] = stored[_DIGEST:]
                    else:
                        damaged.append((key,))
            if damaged:
                _log.warning("%s: %d damaged values are made again", self.path, len(damaged))
                connection.executemany(f"DELETE FROM {self.table} WHERE key = ?", damaged)
                connection.commit()
        return values

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Store values; a key that is stored already keeps its value."""
        if not values:
            return
        with self._never_raising(), closing(self._connect()) as connection:
            connection.execute(
                "BEGIN IMMEDIATE"
            )  # waits its turn; a late upgrade of a lock would not
            connection.executemany(
                f"INSERT OR IGNORE INTO {self.table} VALUES (?, ?)",
                ((key, _digest(key, value) + value) for key, value in values.items()),
            )
            connection.commit()

    @contextmanager
    def _never_raising(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, InputError) as error:
            _log.info("%s is not used as a cache: %s", self.path, error)

    def _connect(self) -> sqlite3.Connection:
        claim(self.path.parent, ours=_OURS)
        self.path.touch(0o600)
        connection = sqlite3.connect(self.path, timeout=30)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {self.table} "
            "(key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
        )
        return connection


def _digest(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_DIGEST, key=key[:64]).digest()
