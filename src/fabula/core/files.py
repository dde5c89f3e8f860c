"""Atomic file writes, content fingerprints, and the folders where fabula keeps its files."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.errors import InputError, MissingPart, UsageError

__all__ = [
    "TEMPORARY",
    "WRITING",
    "atomic",
    "cache_folder",
    "canonical",
    "data_folder",
    "filesystem",
    "fingerprint",
    "make_folder",
    "sha256_of",
    "sync",
    "write_page",
    "write_text",
]


WRITING = ".writing-"  # prefix of temporary files and folders
TEMPORARY = re.compile(r"\.writing-[a-z0-9_]{8}(?:\..*)?", re.DOTALL)  # as tempfile names them
_ATOMS = frozenset({str, int, float, bool, type(None)})  # tested first: most values are these


@contextmanager
def atomic(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to; it replaces ``path`` only if the block succeeds.

    The temporary file stands beside the target (same disk, so the rename is atomic) and keeps
    the target's suffixes, because many writers choose the format by the name. File and folder
    are synced, so that after a power cut there is the old file or the new one.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("is a folder, and a file is to be written there", path=target)
    if not target.parent.is_dir():
        raise InputError(f"the folder {target.parent} does not exist; create it first", path=target)
    try:
        handle, name = tempfile.mkstemp(
            prefix=WRITING, suffix="".join(target.suffixes[-2:]), dir=target.parent
        )
    except OSError as error:
        raise InputError(f"cannot write there ({error.strerror})", path=target) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(_mode(target))
        sync(temporary)
        temporary.replace(target)
        sync(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have the system write a file, or the entries of a folder, to the disk now.

    Without it a power cut may leave an empty file under the new name. Some file systems cannot.
    """
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS):
            raise
    finally:
        os.close(handle)


def _mode(target: Path) -> int:
    """The permissions to give: those the file had, else an ordinary file's (not mkstemp's)."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text file atomically."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def make_folder(path: str | PathLike[str]) -> Path:
    """Make a folder with all above it, unless it is there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", path=folder) from error
    return folder


def sha256_of(path: str | PathLike[str]) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fingerprint(parts: Iterable[str]) -> str:
    """A short name for data: equal content gives an equal name, whatever file it came from.

    >>> fingerprint(["a", "b"]) == fingerprint(["ab"])
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:16]


def canonical(value: Any) -> str:
    """One JSON text for equal values, whatever order their keys were written in.

    >>> canonical({"b": (1, 2), "a": None})
    '{"a":null,"b":[1,2]}'
    """
    return json.dumps(_json_values(value), sort_keys=True, separators=(",", ":"))


def _json_values(value: Any) -> Any:
    """``value`` as JSON values; ``UsageError`` for an object without a plain JSON form."""
    if type(value) in _ATOMS or isinstance(value, str | int | float):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _json_values(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _json_values(entry) for key, entry in value.items()}
    if isinstance(value, Set):
        return sorted((_json_values(entry) for entry in value), key=canonical)
    if isinstance(value, Sequence):
        return [_json_values(entry) for entry in value]
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    raise UsageError(
        f"a {type(value).__name__} has no plain JSON form; items, answers and options are made of "
        "dataclasses, mappings, sequences, text and numbers"
    )


def cache_folder() -> Path:
    """The cache folder: ``$FABULA_CACHE``, else ``fabula`` in the user's cache."""
    chosen = os.environ.get("FABULA_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fabula"


def data_folder() -> Path:
    """The folder of downloaded data: ``$FABULA_DATA``, else ``fabula`` in the user's data."""
    chosen = os.environ.get("FABULA_DATA")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "fabula"


def filesystem(url: str) -> tuple[Any, str]:
    """The fsspec filesystem of a URL, and the path in it.

    The package for a remote store (s3, gs, ...) is the user's to install.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingPart("fsspec", 'pip install "fabula[scale]"') from error
    try:
        files, path = url_to_fs(url)
    except ImportError as error:
        raise MissingPart(f"what opens {url.partition('://')[0]}://", str(error)) from error
    except ValueError as error:
        raise InputError(f"cannot be opened ({error})", path=url) from error
    return files, str(path)


def write_page(arguments: Sequence[str], text: str, source: str) -> int:
    """The command of a generated page, ``PATH [--check]``: write it, or say that it is out of date.

    ``source`` is what the page is made from. The answer is the exit code.
    """
    paths = [Path(argument) for argument in arguments if argument != "--check"]
    if len(paths) != 1 or str(paths[0]).startswith("-"):
        raise SystemExit("usage: PATH [--check]")
    (path,) = paths
    if "--check" not in arguments:
        write_text(path, text)
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{path} does not match {source}; run: make docs\n")
    return 1
