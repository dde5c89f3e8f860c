"""Save pasted text and uploaded files in the pile's folder, each under a name of its own."""

from __future__ import annotations

import base64
import binascii
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fabula.core.files import TEMPORARY, WRITING
from fabula.core.safety.ownership import remove_files
from fabula.errors import InputError

__all__ = [
    "MOST_BYTES",
    "MOST_FILES",
    "MOST_TEXT",
    "remove_uploads",
    "safe_name",
    "save_files",
    "save_uploads",
    "upload_name",
    "uploads_of",
]

MOST_TEXT = 2_000_000  # characters pasted
MOST_BYTES = 20 << 20  # of all files of one request
MOST_FILES = 200
_UNSAFE = re.compile(r"[^\w. ()-]+")
_UPLOAD = re.compile(r"(\d{4,})-(.+)", re.DOTALL)
_LONGEST = 120  # bytes of a name; file systems take 255
_numbering = threading.Lock()  # there is one server for a state folder


def save_uploads(folder: Path, text: Any, files: Any) -> list[Path]:
    """Write pasted text and files into the folder: all of them, or none."""
    return save_files(folder, _checked(text, files))


def save_files(folder: Path, parts: Sequence[tuple[str, bytes]]) -> list[Path]:
    """Write named bytes into the folder, numbered in order of arrival: all of them, or none."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    written: list[Path] = []
    temporaries: list[Path] = []
    try:
        for _, data in parts:
            handle, name = tempfile.mkstemp(prefix=WRITING, dir=folder)
            temporaries.append(Path(name))
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        with _numbering:
            numbers = [int(match[1]) for path in folder.iterdir() if (match := _match(path))]
            first = max(numbers, default=0) + 1
            for number, ((name, _), temporary) in enumerate(zip(parts, temporaries, strict=True)):
                path = folder / upload_name(first + number, name)
                temporary.rename(path)
                written.append(path)
    except BaseException:
        for path in [*temporaries, *written]:
            path.unlink(missing_ok=True)
        raise
    return written


def upload_name(number: int, name: str) -> str:
    """The name of a file in the folder of its pile: its number of arrival, and the user's name."""
    return f"{number:04d}-{name}"


def uploads_of(folder: Path) -> list[dict[str, str]]:
    """The uploads of a pile in order of arrival, with the names the user gave."""
    found = sorted((int(match[1]), path) for path in folder.iterdir() if (match := _match(path)))
    return [{"path": str(path), "name": path.name.partition("-")[2]} for _, path in found]


def remove_uploads(folder: Path) -> None:
    """Remove the uploads in a folder, and the folder."""
    remove_files(folder, re.compile(f"{_UPLOAD.pattern}|{TEMPORARY.pattern}", re.DOTALL))
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _match(path: Path) -> re.Match[str] | None:
    return _UPLOAD.fullmatch(path.name) if path.is_file() else None


def _checked(text: Any, files: Any) -> list[tuple[str, bytes]]:
    """The names and bytes of a request, once everything in it is right."""
    parts: list[tuple[str, bytes]] = []
    if not isinstance(text, str | None) or not isinstance(files or [], list):
        raise InputError("'text' must be a string and 'files' a list")
    if text and text.strip():
        if len(text) > MOST_TEXT:
            raise InputError(
                f"the text has {len(text):,} characters and the page takes {MOST_TEXT:,}; "
                "drop it as files, or use the command line"
            )
        parts.append(("pasted.txt", text.encode("utf-8", "replace")))
    if len(files or []) > MOST_FILES:
        raise InputError(f"{len(files)} files at once; the page takes {MOST_FILES}")
    for file in files or []:
        try:
            parts.append(
                (safe_name(str(file["name"])), base64.b64decode(file["data"], validate=True))
            )
        except (KeyError, TypeError, ValueError, binascii.Error) as error:
            raise InputError("a file must have a 'name' and its 'data' in base64") from error
    if sum(len(data) for _, data in parts) > MOST_BYTES:
        raise InputError(f"the files are larger than {MOST_BYTES >> 20} MB together")
    if not parts:
        raise InputError("there is no text: paste some, or drop files")
    return parts


def safe_name(name: str) -> str:
    """A file's base name with unsafe characters replaced, short enough for a file system.

    >>> safe_name("../../etc/pass wd"), safe_name("..\\\\x<y>.txt"), safe_name("...")
    ('pass wd', 'x_y_.txt', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    safe = _UNSAFE.sub("_", last).strip(". ").encode("utf-8", "replace")[-_LONGEST:]
    return safe.decode("utf-8", "ignore").strip(". ") or "file"
