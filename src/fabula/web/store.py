"""The page's SQLite database: cases (piles) with corrections and results, documents, and jobs.

Its folder is the user's alone (0700, files 0600), and what is deleted is overwritten.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
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
    "CREATE TABLE IF NOT EXISTS document (pile TEXT, number INTEGER, id TEXT, source TEXT, "
    "title TEXT, date TEXT, text TEXT, PRIMARY KEY (pile, number))",
)
# Columns that databases of earlier versions do not have.
_LATER = {
    "job": {"tries": "INTEGER DEFAULT 0"},
    "pile": {
        "notes": "TEXT DEFAULT ''",
        "tags": "TEXT DEFAULT '[]'",
        "anchor": "TEXT",  # the day of writing of undated text
        "undone": "TEXT DEFAULT '[]'",  # corrections taken back, the last one first to come again
        "revision": "INTEGER DEFAULT 0",  # counts the changes; the answer in ``result`` knows the
        "solved": "INTEGER DEFAULT -1",  # first ``solved`` of them
        "summary": "TEXT",
        "vectors": "BLOB",  # of the sentences, in the order of ``result``, float16
        "date_orders": "TEXT DEFAULT '{}'",  # by file, where the user said in which order
        "chats": "TEXT",  # by file, in which order its dates were read
        "numbers": "TEXT",  # stories of sentence ids, of an answer that is not there any more
        "cleared": "INTEGER DEFAULT 0",  # no answer to an earlier revision is stored
        "removing": "TEXT",  # the name of a file that is being removed
    },
    "document": {
        "upload": "TEXT",  # the name of the file it was read from, in the folder of the pile
        "kind": "TEXT",  # "message" of a chat
    },
}
_JSON = frozenset(("corrections", "base", "result", "payload", "tags", "undone", "summary", "text",
                   "date_orders", "chats", "numbers"))  # fmt: skip
_ANSWER = ("result", "html", "markdown", "vectors", "summary", "chats")  # what solving gives
# What a folder of the page holds; one with other files is not taken for it.
STATE_FILES = re.compile(r"fabula\.(?:sqlite(?:-journal|-wal|-shm)?|lock)|piles|audits")
WAIT_SECONDS = 5  # for another process that holds the database


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
            with self.database() as database:
                for table in _TABLES:
                    database.execute(table)
                for table, later in _LATER.items():
                    known = database.execute(f"PRAGMA table_info({table})")
                    for column in later.keys() - {row["name"] for row in known}:
                        definition = f"{column} {later[column]}"
                        database.execute(f"ALTER TABLE {table} ADD COLUMN {definition}")
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
    def database(self, *, write: bool = True) -> Iterator[sqlite3.Connection]:
        """A connection of this thread's own; what was written is kept at the end."""
        database = None
        try:
            database = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
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
        with self.database() as database:
            database.execute(
                f"INSERT INTO {_table_name(table)} ({', '.join(fields)}) VALUES ({marks})",
                list(fields.values()),
            )
        return str(fields["id"])

    def set(self, table: str, name: str, **fields: Any) -> None:
        fields = _to_columns(fields)
        change = ", ".join(f"{field} = ?" for field in fields)
        with self.database() as database:
            database.execute(
                f"UPDATE {_table_name(table)} SET {change} WHERE id = ?", [*fields.values(), name]
            )

    def get(self, table: str, name: str) -> dict[str, Any] | None:
        with self.database(write=False) as database:
            row = database.execute(
                f"SELECT * FROM {_table_name(table)} WHERE id = ?", [name]
            ).fetchone()
        return _from_columns(row) if row else None

    def all(self, table: str, columns: str, where: str = "1", *values: Any) -> list[dict[str, Any]]:
        with self.database(write=False) as database:
            rows = database.execute(
                f"SELECT {columns} FROM {_table_name(table)} WHERE {where} ORDER BY created", values
            ).fetchall()
        return [_from_columns(row) for row in rows]

    def text_of(self, name: str, column: str) -> str | None:
        """A JSON column of a pile as it is stored, not parsed."""
        if column not in _JSON:
            raise ValueError(column)
        with self.database(write=False) as database:
            row = database.execute(f"SELECT {column} FROM pile WHERE id = ?", [name]).fetchone()
        return row[0] if row else None

    def correct(self, pile: str, entry: Any) -> int:
        """Append a correction; returns the revision. What was taken back does not come again."""
        return self._change(pile, lambda entries, undone: ([*entries, entry], []))

    def undo(self, pile: str) -> int:
        """Take the last correction back."""
        return self._change(pile, lambda entries, undone: (entries[:-1], [*undone, *entries[-1:]]))

    def redo(self, pile: str) -> int:
        """Apply the correction that was taken back last."""
        return self._change(pile, lambda entries, undone: ([*entries, *undone[-1:]], undone[:-1]))

    def _change(self, pile: str, change: Callable[[list[Any], list[Any]], Any]) -> int:
        with self.database() as database:
            row = database.execute(
                "SELECT corrections, undone, base, result, revision FROM pile WHERE id = ?", [pile]
            ).fetchone()
            if row is None:
                raise InputError("there is no such pile; it may have been deleted")
            entries, undone = change(
                json.loads(row["corrections"]), json.loads(row["undone"] or "[]")
            )
            base = row["base"] or json.dumps(json.loads(row["result"] or "{}").get("base", {}))
            database.execute(
                "UPDATE pile SET corrections = ?, undone = ?, base = ?, revision = ? WHERE id = ?",
                [json.dumps(entries), json.dumps(undone),
                 base if entries or undone else None, row["revision"] + 1, pile],
            )  # fmt: skip
        return int(row["revision"]) + 1

    def edit(self, pile: str, **fields: Any) -> int:
        """Set fields of a pile that its answer depends on; returns the revision."""
        with self.database() as database:
            fields = _to_columns(fields)
            change = "".join(f"{field} = ?, " for field in fields)
            database.execute(
                f"UPDATE pile SET {change}revision = revision + 1 WHERE id = ?",
                [*fields.values(), pile],
            )
            row = database.execute("SELECT revision FROM pile WHERE id = ?", [pile]).fetchone()
        if row is None:
            raise InputError("there is no such pile; it may have been deleted")
        return int(row["revision"])

    def finish(
        self, pile: str, documents: Sequence[dict[str, Any]], *, solved: int, **fields: Any
    ) -> None:
        """Store a pile's answer and its documents, both or none.

        Nothing is stored where the pile, or a document of the answer, was deleted meanwhile.
        """
        fields = {"solved": solved, **_to_columns(fields)}
        change = ", ".join(f"{field} = ?" for field in fields)
        with self.database() as database:
            done = database.execute(
                f"UPDATE pile SET {change} WHERE id = ? AND cleared <= ?",
                [*fields.values(), pile, solved],
            )
            if done.rowcount:
                database.execute("DELETE FROM document WHERE pile = ?", [pile])
                database.executemany(
                    "INSERT INTO document (pile, number, id, source, title, date, text, upload, "
                    "kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        (pile, number, row["id"], row["source"], row["title"], row["date"],
                         json.dumps(row["text"]), row.get("upload"), row.get("kind"))
                        for number, row in enumerate(documents)
                    ],
                )  # fmt: skip

    def clear(self, pile: str, upload: str, **fields: Any) -> int:
        """Overwrite a pile's answer, its jobs, and the documents of a file; returns the revision.

        Answers that are computed from what it was are not stored any more.
        """
        fields = _to_columns({**fields, **dict.fromkeys(_ANSWER)})
        change = ", ".join(f"{field} = ?" for field in fields)
        with self.database() as database:
            database.execute(
                f"UPDATE pile SET {change}, solved = -1, revision = revision + 1, "
                "cleared = revision + 1 WHERE id = ?",
                [*fields.values(), pile],
            )
            database.execute("DELETE FROM document WHERE pile = ? AND upload = ?", [pile, upload])
            database.execute("DELETE FROM job WHERE pile = ?", [pile])
            row = database.execute("SELECT revision FROM pile WHERE id = ?", [pile]).fetchone()
        if row is None:
            raise InputError("there is no such pile; it may have been deleted")
        return int(row["revision"])

    def documents(self, pile: str, columns: str, where: str = "1", *values: Any) -> list[Any]:
        """Documents of a pile in order."""
        with self.database(write=False) as database:
            rows = database.execute(
                f"SELECT {columns} FROM document WHERE pile = ? AND {where} ORDER BY number",
                [pile, *values],
            ).fetchall()
        return [_from_columns(row) for row in rows]

    def delete(self, table: str, name: str) -> None:
        """Remove a row; of a pile, with all its jobs and documents."""
        with self.database() as database:
            if table == "pile":
                database.execute("DELETE FROM job WHERE pile = ?", [name])
                database.execute("DELETE FROM document WHERE pile = ?", [name])
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
