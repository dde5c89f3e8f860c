"""The page's SQLite database: piles with corrections and results, and jobs.

Its folder is the user's alone (0700, files 0600), and what is deleted is overwritten.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fabula.core.safety.ownership import claim
from fabula.errors import DamagedFile, FabulaError, InputError

__all__ = ["STATE_FILES", "Store", "StoreUnavailable"]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS pile (id TEXT PRIMARY KEY, title TEXT, created REAL, stories "
    "INTEGER, corrections TEXT DEFAULT '[]', base TEXT, result TEXT, html TEXT, markdown TEXT)",
    "CREATE TABLE IF NOT EXISTS job (id TEXT PRIMARY KEY, pile TEXT, kind TEXT, state TEXT, "
    "message TEXT DEFAULT '', done INTEGER DEFAULT 0, total INTEGER, payload TEXT, result TEXT, "
    "page TEXT, error TEXT, created REAL, tries INTEGER DEFAULT 0)",
)
_JSON = frozenset(("corrections", "base", "result", "payload"))
# What a folder of the page holds; one with other files is not taken for it.
STATE_FILES = re.compile(r"fabula\.(?:sqlite(?:-journal|-wal|-shm)?|lock)|piles|audits")
_WAIT_SECONDS = 5  # for another process that holds the database


class StoreUnavailable(FabulaError):
    """The database cannot be read or written now: the disk is full, or it is locked."""


class Store:
    """Rows of piles and jobs; each call is one transaction on its own connection (thread-safe).

    ``pages`` limits the database to so many pages of 4 KB: a quota for the disk, also in tests.
    """

    def __init__(self, folder: Path, *, pages: int | None = None) -> None:
        self.folder = claim(folder, ours=STATE_FILES)
        self.path = folder / "fabula.sqlite"
        self.pages = pages
        try:
            self.path.touch(0o600)
            with self._open() as database:
                for table in _TABLES:
                    database.execute(table)
                columns = {row["name"] for row in database.execute("PRAGMA table_info(job)")}
                if "tries" not in columns:
                    database.execute("ALTER TABLE job ADD COLUMN tries INTEGER DEFAULT 0")
                for row in database.execute("PRAGMA quick_check(1)"):
                    if row[0] != "ok":
                        raise sqlite3.DatabaseError(row[0])
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", path=self.path) from error
        except StoreUnavailable as error:
            if isinstance(error.__cause__, sqlite3.OperationalError):
                raise InputError(str(error), path=self.path) from error
            problem = f"{self.path}: not the page's database ({error.__cause__}); move it away"
            raise DamagedFile(f"{problem}, or name another folder with --state") from error

    @contextmanager
    def _open(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        database = None
        try:
            database = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
            database.row_factory = sqlite3.Row
            database.execute("PRAGMA secure_delete=ON")
            if self.pages is not None:
                database.execute(f"PRAGMA max_page_count={self.pages}")
            database.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            yield database
            database.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the page's database cannot be used now ({error})") from error
        finally:
            if database is not None:
                with suppress(sqlite3.Error):
                    if database.in_transaction:
                        database.execute("ROLLBACK")
                database.close()

    def add(self, table: str, **fields: Any) -> str:
        """Insert a row; returns its id, which is random and unguessable unless it is given."""
        fields = {"id": secrets.token_hex(8), "created": time.time(), **_to_columns(fields)}
        marks = ", ".join("?" for _ in fields)
        with self._open() as database:
            database.execute(
                f"INSERT INTO {_table_name(table)} ({', '.join(fields)}) VALUES ({marks})",
                list(fields.values()),
            )
        return str(fields["id"])

    def set(self, table: str, name: str, **fields: Any) -> None:
        fields = _to_columns(fields)
        change = ", ".join(f"{field} = ?" for field in fields)
        with self._open() as database:
            database.execute(
                f"UPDATE {_table_name(table)} SET {change} WHERE id = ?", [*fields.values(), name]
            )

    def get(self, table: str, name: str) -> dict[str, Any] | None:
        with self._open(write=False) as database:
            row = database.execute(
                f"SELECT * FROM {_table_name(table)} WHERE id = ?", [name]
            ).fetchone()
        return _from_columns(row) if row else None

    def all(self, table: str, columns: str, where: str = "1", *values: Any) -> list[dict[str, Any]]:
        with self._open(write=False) as database:
            rows = database.execute(
                f"SELECT {columns} FROM {_table_name(table)} WHERE {where} ORDER BY created", values
            ).fetchall()
        return [_from_columns(row) for row in rows]

    def correct(self, pile: str, entry: Any | None) -> int:
        """Append a correction, or remove the last if ``entry`` is None; returns their number."""
        with self._open() as database:
            row = database.execute(
                "SELECT corrections, base, result FROM pile WHERE id = ?", [pile]
            ).fetchone()
            if row is None:
                raise InputError("there is no such pile; it may have been deleted")
            entries = json.loads(row["corrections"])
            entries = [*entries, entry] if entry is not None else entries[:-1]
            base = row["base"] or json.dumps(json.loads(row["result"] or "{}").get("base", {}))
            database.execute(
                "UPDATE pile SET corrections = ?, base = ? WHERE id = ?",
                [json.dumps(entries), base if entries else None, pile],
            )
        return len(entries)

    def delete(self, table: str, name: str) -> None:
        """Remove a row; of a pile, with all its jobs."""
        with self._open() as database:
            if table == "pile":
                database.execute("DELETE FROM job WHERE pile = ?", [name])
            database.execute(f"DELETE FROM {_table_name(table)} WHERE id = ?", [name])


def _table_name(table: str) -> str:
    if table not in ("pile", "job"):
        raise ValueError(table)
    return table


def _to_columns(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        key: json.dumps(value) if key in _JSON and value is not None else value
        for key, value in fields.items()
    }


def _from_columns(row: sqlite3.Row) -> dict[str, Any]:
    return {
        key: json.loads(row[key]) if key in _JSON and row[key] is not None else row[key]
        for key in row.keys()  # noqa: SIM118 - a Row gives its values when looped over
    }
