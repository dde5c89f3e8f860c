"""Local or remote folders: a path, or a URL of any fsspec file system (s3:// ...)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabula.core.files import TEMPORARY, atomic, filesystem, make_folder
from fabula.core.safety.ownership import remove_files

__all__ = ["Destination", "StorageFolder", "absolute_location", "is_remote", "writing"]


def is_remote(path: str) -> bool:
    """Whether a path is a URL of a remote file system; ``file://`` is local.

    >>> is_remote("s3://bucket/news.jsonl"), is_remote("file:///tmp/x"), is_remote("news.jsonl")
    (True, False, False)
    """
    scheme, sign, _ = str(path).partition("://")
    return bool(sign) and scheme not in ("", "file", "local") and "/" not in scheme


def absolute_location(folder: str) -> str:
    """An absolute path, or the URL unchanged, valid in any worker's working directory."""
    if is_remote(folder):
        return folder.rstrip("/")
    return str(Path(folder.removeprefix("file://")).resolve())


@dataclass(frozen=True, slots=True)
class StorageFolder:
    """A local or remote folder of small files, each written atomically."""

    folder: str

    def __str__(self) -> str:
        return self.folder.rstrip("/")

    def put(self, name: str, data: bytes) -> None:
        """Write a file atomically: object stores do so themselves, local files by renaming."""
        path = self._local(name)
        if path is None:
            files, root = self._files()
            files.makedirs(root, exist_ok=True)
            files.pipe_file(f"{root}/{name}", data)
            return
        make_folder(path.parent)
        with atomic(path) as temporary:
            temporary.write_bytes(data)

    def get(self, name: str) -> bytes | None:
        """The content of a file, or None if it does not exist."""
        path = self._local(name)
        try:
            if path is not None:
                return path.read_bytes()
            files, root = self._files()
            return bytes(files.cat_file(f"{root}/{name}"))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def get_many(self, names: Sequence[str]) -> list[bytes]:
        """The contents of several existing files, in one request."""
        if self._local("") is not None:
            return [(self._local(name) or Path()).read_bytes() for name in names]
        files, root = self._files()
        contents = files.cat([f"{root}/{name}" for name in names])
        if isinstance(contents, bytes):  # fsspec gives one file as it is
            return [contents]
        by_name = {str(path).rpartition("/")[2]: data for path, data in contents.items()}
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
        """Remove temporary files of killed writers; object stores have none."""
        folder = self._local("")
        if folder is not None:
            remove_files(folder, TEMPORARY)

    def delete(self, names: Iterable[str]) -> None:
        """Remove files by name; those that are not there are passed over."""
        for name in names:
            path = self._local(name)
            if path is not None:
                path.unlink(missing_ok=True)
                continue
            files, root = self._files()
            if files.exists(f"{root}/{name}"):
                files.rm_file(f"{root}/{name}")

    def exists(self) -> bool:
        """Whether the folder is there; an object store has a folder while there are files in it."""
        folder = self._local("")
        if folder is not None:
            return folder.is_dir()
        files, root = self._files()
        return bool(files.exists(root))

    def remove_empty(self) -> bool:
        """Remove the folder if nothing is left in it; whether it is gone."""
        if self.names():
            return False
        folder = self._local("")
        if folder is not None:
            if folder.is_dir():
                folder.rmdir()
            return True
        files, root = self._files()
        if files.exists(root):
            files.rmdir(root)
        return True

    def _local(self, name: str) -> Path | None:
        if is_remote(self.folder):
            return None
        return Path(self.folder.removeprefix("file://"), name)

    def _files(self) -> tuple[Any, str]:
        return filesystem(self.folder.rstrip("/"))


@dataclass(frozen=True, slots=True)
class Destination:
    """An output: local ``path`` to write to, and ``name``, the path or URL the user gave."""

    path: Path
    name: str

    def shown(self, text: str) -> str:
        """``text`` with the temporary local folder replaced by the user's URL."""
        parent = self.name.rstrip("/").rpartition("/")[0]
        return text.replace(str(self.path.parent), parent) if is_remote(self.name) else text


@contextmanager
def writing(name: str) -> Iterator[Destination]:
    """A local path to write a result to; for a URL its files are uploaded if the block succeeds.

    All files of the temporary folder are uploaded, ``.json`` files last: a result that has its
    ``.meta.json`` is complete.
    """
    if not is_remote(name):
        yield Destination(Path(name.removeprefix("file://")), name)
        return
    parent, _, file_name = name.rstrip("/").rpartition("/")
    files, root = filesystem(parent)
    with tempfile.TemporaryDirectory(prefix="fabula-") as folder:
        yield Destination(Path(folder) / file_name, name)
        written = [path for path in Path(folder).rglob("*") if path.is_file()]
        for path in sorted(written, key=lambda path: (path.suffix == ".json", path.name)):
            target = f"{root}/{path.relative_to(folder).as_posix()}"
            files.makedirs(target.rpartition("/")[0], exist_ok=True)
            files.put_file(str(path), target)
