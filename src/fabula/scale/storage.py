"""Folders that may be far away: a path, or a URL of anything fsspec knows (s3:// ...)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabula.core.files import WRITING, atomic, filesystem, make_folder

__all__ = ["Destination", "Place", "is_remote", "reached", "writing"]


def is_remote(path: str) -> bool:
    """Whether a path is a URL of something that is not this disk, which ``file://`` is.

    >>> is_remote("s3://bucket/news.jsonl"), is_remote("file:///tmp/x"), is_remote("news.jsonl")
    (True, False, False)
    """
    scheme, sign, _ = str(path).partition("://")
    return bool(sign) and scheme not in ("", "file", "local") and "/" not in scheme


def reached(folder: str) -> str:
    """A folder by a name that holds wherever a worker stands."""
    if is_remote(folder):
        return folder.rstrip("/")
    return str(Path(folder.removeprefix("file://")).resolve())


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of small files that appear whole or not at all."""

    folder: str

    def __str__(self) -> str:
        return self.folder.rstrip("/")

    def put(self, name: str, data: bytes) -> None:
        """Write a file: an object store does so whole by itself, a disk by renaming."""
        path = self._local(name)
        if path is None:
            files, root = self._files()
            files.makedirs(root, exist_ok=True)
            files.pipe_file(f"{root}/{name}", data)
            return
        make_folder(path.parent)
        with atomic(path) as beside:
            beside.write_bytes(data)

    def get(self, name: str) -> bytes | None:
        """What is in a file, or None if there is none."""
        path = self._local(name)
        try:
            if path is not None:
                return path.read_bytes()
            files, root = self._files()
            return bytes(files.cat_file(f"{root}/{name}"))
        except FileNotFoundError:
            return None

    def get_many(self, names: Sequence[str]) -> list[bytes]:
        """Several files at once, each of which is there."""
        if self._local("") is not None:
            return [(self._local(name) or Path()).read_bytes() for name in names]
        files, root = self._files()
        found = files.cat([f"{root}/{name}" for name in names])
        if isinstance(found, bytes):  # fsspec gives one file as it is
            return [found]
        by_name = {str(path).rpartition("/")[2]: data for path, data in found.items()}
        return [by_name[name] for name in names]

    def names(self) -> list[str]:
        """The names of the files, sorted; none where there is no folder."""
        folder = self._local("")
        if folder is not None:
            return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        files, root = self._files()
        if not files.exists(root):
            return []
        return sorted(str(path).rstrip("/").rpartition("/")[2] for path in files.ls(root, False))

    def tidy(self) -> None:
        """Remove what writers that were killed have left; an object store keeps nothing of it."""
        folder = self._local("")
        if folder is not None:
            for path in folder.glob(f"{WRITING}*"):
                if path.is_file():
                    path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        folder = self._local("")
        if folder is not None:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
            return
        files, root = self._files()
        if files.exists(root):
            files.rm(root, recursive=True)

    def _local(self, name: str) -> Path | None:
        if is_remote(self.folder):
            return None
        return Path(self.folder.removeprefix("file://"), name)

    def _files(self) -> tuple[Any, str]:
        return filesystem(self.folder.rstrip("/"))


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes: ``path`` on this disk, and the name its user gave it."""

    path: Path
    name: str

    def shown(self, text: str) -> str:
        """A text in which the result goes by its own name, not by that of a temporary file."""
        parent = self.name.rstrip("/").rpartition("/")[0]
        return text.replace(str(self.path.parent), parent) if is_remote(self.name) else text


@contextmanager
def writing(name: str) -> Iterator[Destination]:
    """A place on disk for a result; for a URL its files are sent there if the block ends well.

    All files beside the path go, those with ``.meta.json`` and manifests last: a result that has
    its card is whole.
    """
    if not is_remote(name):
        yield Destination(Path(name.removeprefix("file://")), name)
        return
    parent, _, own = name.rstrip("/").rpartition("/")
    files, root = filesystem(parent)
    with tempfile.TemporaryDirectory(prefix="fabula-") as folder:
        yield Destination(Path(folder) / own, name)
        made = [path for path in Path(folder).rglob("*") if path.is_file()]
        for path in sorted(made, key=lambda path: (path.suffix == ".json", path.name)):
            target = f"{root}/{path.relative_to(folder).as_posix()}"
            files.makedirs(target.rpartition("/")[0], exist_ok=True)
            files.put_file(str(path), target)
