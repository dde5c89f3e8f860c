"""Sentence vectors cached on disk, shared by all processes.

One SQLite file for each model (named by the SHA-256 of its weights), keys are hashes of the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import cache_folder
from fabula.core.kv_cache import CACHE_FILES, KeyValueCache
from fabula.core.safety.ownership import MARK, is_claimed, remove_files, remove_sealed

__all__ = ["VectorCache", "clear", "contents"]

CACHE_FOLDERS = ("answers", "lm", "papers", "scdv", "vectors")  # all that fabula makes in its cache


class VectorCache:
    """The cached float32 vectors of one model."""

    def __init__(self, *, model: str, dimension: int, folder: Path | None = None) -> None:
        self.dimension = dimension
        self.path = (folder or cache_folder() / "vectors") / f"{model}.sqlite"
        self._cache = KeyValueCache(self.path, "vectors")

    def get(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The cached vectors, by text."""
        keys = {_key(text): text for text in texts}
        vectors = {
            key: np.frombuffer(blob, dtype="<f4") for key, blob in self._cache.get(keys).items()
        }
        return {
            keys[key]: vector.astype(np.float32)
            for key, vector in vectors.items()
            if len(vector) == self.dimension
        }

    def put(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        """Store vectors; safe when another process stores the same text."""
        self._cache.put(
            {_key(text): vector.astype("<f4").tobytes() for text, vector in vectors.items()}
        )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def contents(folder: Path | None = None) -> list[tuple[Path, int]]:
    """Every file fabula cached and its size in bytes."""
    root = folder or cache_folder()
    files = [path for name in CACHE_FOLDERS for path in sorted((root / name).rglob("*"))]
    return [(path, path.stat().st_size) for path in files if path.is_file() and path.name != MARK]


def clear(folder: Path | None = None) -> int:
    """Remove what fabula cached, and nothing else in the folder; returns the bytes freed."""
    root = folder or cache_folder()
    before = sum(size for _, size in contents(root))
    for name in CACHE_FOLDERS:
        part = root / name
        if part.is_symlink() or not part.is_dir():
            continue
        for path in sorted(part.iterdir()):
            if path.is_dir():
                remove_sealed(path)
        if is_claimed(part):
            remove_files(part, CACHE_FILES)
            if {path.name for path in part.iterdir()} == {MARK}:
                (part / MARK).unlink()
                part.rmdir()
    return before - sum(size for _, size in contents(root))
