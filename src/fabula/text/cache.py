"""Vectors on disk: a sentence is encoded once per model, whichever process asks.

One SQLite file for each model (named by the SHA-256 of its weights), keys are hashes of the text.
SQLite's own locking makes it safe for several processes. A cache is never a reason to fail: where
its folder cannot be written or its file is damaged, it steps aside and vectors are computed.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.files import cache_folder

__all__ = ["VectorCache", "clear", "contents"]

PLACES = ("answers", "lm", "scdv", "vectors")  # the folders fabula makes in its cache
_CHUNK = 500  # keys a query: below SQLite's limit on parameters in every build


class VectorCache:
    """Float32 vectors of one model."""

    def __init__(self, *, model: str, dimension: int, folder: Path | None = None) -> None:
        self.dimension = dimension
        self.path = (folder or cache_folder() / "vectors") / f"{model}.sqlite"

    def get(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors that are known, by text."""
        keys = {_key(text): text for text in texts}
        wanted = list(keys)
        found: dict[str, NDArray[np.float32]] = {}
        if not self.path.is_file():
            return found
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as base:
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
                for key, blob in base.execute(query, part):
                    vector = np.frombuffer(blob, dtype="<f4")
                    if len(vector) == self.dimension:
                        found[keys[key]] = vector.astype(np.float32)
        return found

    def put(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        """Keep vectors; another process may be doing the same with the same text."""
        rows = [(_key(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        if not rows:
            return
        with suppress(OSError, sqlite3.Error), closing(self._connect()) as base:
            base.execute("BEGIN IMMEDIATE")  # waits its turn; a late upgrade of a lock would not
            base.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            base.commit()

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self.path, timeout=30)
        base.execute("PRAGMA synchronous=NORMAL")
        base.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        return base


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def contents(folder: Path | None = None) -> list[tuple[Path, int]]:
    """Every file fabula cached and its size in bytes."""
    root = folder or cache_folder()
    files = [path for name in PLACES for path in sorted((root / name).rglob("*"))]
    return [(path, path.stat().st_size) for path in files if path.is_file()]


def clear(folder: Path | None = None) -> int:
    """Remove what fabula cached, and nothing else that may lie there; returns the bytes freed."""
    import shutil

    root = folder or cache_folder()
    freed = sum(size for _, size in contents(root))
    for name in PLACES:
        if (root / name).is_dir():
            shutil.rmtree(root / name)
    return freed
