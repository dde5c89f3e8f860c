"""Answers on disk: a model is asked once, whichever process asks.

The key of an answer is a hash of the model's name, its revision, the options it was asked with and
the text. Keys of services are no part of it and are stored nowhere. Like every cache of fabula it
is never a reason to fail: where it cannot be read or written, the model is asked.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from fabula.files import cache_folder

__all__ = ["AnswerCache"]

_CHUNK = 500  # keys a query: below SQLite's limit on parameters in every build


class AnswerCache:
    """JSON values of one model, at one revision, asked with one set of options."""

    def __init__(
        self,
        model: str,
        revision: str,
        options: Mapping[str, Any],
        *,
        folder: Path | None = None,
    ) -> None:
        self.who = [model, revision, dict(options)]
        self.path = (folder or cache_folder() / "answers") / "answers.sqlite"

    def key(self, text: Any) -> bytes:
        """The name of the answer to a text, or to any JSON value that says what was asked."""
        asked = json.dumps([*self.who, text], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(asked.encode()).digest()[:20]

    def get(self, texts: Iterable[Any]) -> dict[bytes, Any]:
        """The answers that are known, by key."""
        wanted = list(dict.fromkeys(self.key(text) for text in texts))
        found: dict[bytes, Any] = {}
        if not self.path.is_file():
            return found
        with suppress(OSError, ValueError, sqlite3.Error), closing(self._connect()) as base:
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"
                for key, answer in base.execute(query, part):
                    found[bytes(key)] = json.loads(answer)
        return found

    def put(self, answers: Mapping[bytes, Any]) -> None:
        """Keep answers; the first one kept stays."""
        rows = [(key, json.dumps(answer)) for key, answer in answers.items()]
        if not rows:
            return
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as base:
            base.execute("BEGIN IMMEDIATE")  # waits its turn; a late upgrade of a lock would not
            base.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?)", rows)
            base.commit()

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self.path, timeout=30)
        base.execute("PRAGMA synchronous=NORMAL")
        base.execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )
        return base
