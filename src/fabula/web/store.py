"""The page's SQLite database: piles with corrections and results, and jobs."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Store"]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS pile (id TEXT PRIMARY KEY, title TEXT, created REAL, stories "
    "INTEGER, corrections TEXT DEFAULT '[]', base TEXT, result TEXT, html TEXT, markdown TEXT)",
    "CREATE TABLE IF NOT EXISTS job (id TEXT PRIMARY KEY, pile TEXT, kind TEXT, state TEXT, "
    "message TEXT DEFAULT '', done INTEGER DEFAULT 0, total INTEGER, payload TEXT, result TEXT, "
    "page TEXT, error TEXT, created REAL)",
)
_JSON = frozenset(("corrections", "base", "result", "payload"))


class Store:
    """Rows of piles and jobs; each call is one transaction on its own connection (thread-safe)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "fabula.sqlite"
        folder.mkdir(parents=True, exist_ok=True)
        with self._open() as database:
            for table in _TABLES:
                database.execute(table)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        database.row_factory = sqlite3.Row
        try:
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise
        finally:
            database.close()

    def add(self, table: str, **fields: Any) -> str:
        """Insert a row; returns its random, unguessable id."""
        name = secrets.token_hex(8)
        fields = {"id": name, "created": time.time(), **_to_columns(fields)}
        marks = ", ".join("?" for _ in fields)
        with self._open() as database:
            database.execute(
                f"INSERT INTO {_table_name(table)} ({', '.join(fields)}) VALUES ({marks})",
                list(fields.values()),
            )
        return name

    def set(self, table: str, name: str, **fields: Any) -> None:
        fields = _to_columns(fields)
        change = ", ".join(f"{field} = ?" for field in fields)
        with self._open() as database:
            database.execute(
                f"UPDATE {_table_name(table)} SET {change} WHERE id = ?", [*fields.values(), name]
            )

    def get(self, table: str, name: str) -> dict[str, Any] | None:
        with self._open() as database:
            row = database.execute(
                f"SELECT * FROM {_table_name(table)} WHERE id = ?", [name]
            ).fetchone()
        return _from_columns(row) if row else None

    def all(self, table: str, columns: str, where: str = "1", *values: Any) -> list[dict[str, Any]]:
        with self._open() as database:
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
            entries = json.loads(row["corrections"])
            entries = [*entries, entry] if entry is not None else entries[:-1]
            base = row["base"] or json.dumps(json.loads(row["result"] or "{}").get("base", {}))
            database.execute(
                "UPDATE pile SET corrections = ?, base = ? WHERE id = ?",
                [json.dumps(entries), base if entries else None, pile],
            )
        return len(entries)

    def delete(self, pile: str) -> None:
        with self._open() as database:
            database.execute("DELETE FROM job WHERE pile = ?", [pile])
            database.execute("DELETE FROM pile WHERE id = ?", [pile])


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
