"""The files of a source: a file, a folder, a glob pattern or a URL."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from fabula.errors import InputError
from fabula.text.io.kinds import unreadable
from fabula.text.io.remote import is_url, remote_files
from fabula.text.io.streams import Skips, skip

__all__ = ["files_of"]


def files_of(
    source: str, readable: Callable[[str], bool], lenient: Skips | None
) -> Iterator[tuple[str, str]]:
    """Paths, each with its subfolder inside the source, which makes equal file names distinct.

    A file named directly is always given; of a folder or pattern, only readable files. When
    lenient, what is not readable or no file at all (a pipe, a broken link) is kept there.
    """
    mode = 0 if is_url(source) else _mode(source)
    if is_url(source):
        files, is_file = remote_files(source)
        if is_file:
            yield source, ""
            return
    elif stat.S_ISDIR(mode):
        files = dict(_walk(source, lenient))
    elif mode or source == "-":
        yield source, ""
        return
    elif glob.has_magic(source):
        files = {}
        # Path.glob takes no absolute pattern, and shows hidden files.
        for path in sorted(glob.glob(source, recursive=True)):  # noqa: PTH207
            matched = _walk(path, lenient) if stat.S_ISDIR(_mode(path)) else [(path, "")]
            files.update(item for item in matched if item[0] not in files)
    else:
        problem = "does not exist; a source is a file, a folder, a pattern, - or a packaged corpus"
        raise InputError(problem, path=source)
    empty = True
    for path, folder in files.items():
        if path.endswith(".meta.json"):
            continue  # the metadata of a data file
        problem = _obstacle(path, readable)
        if not problem:
            empty = False
            yield path, folder
        elif lenient is not None:
            lenient.add(InputError(problem, path=path))
    if empty:
        raise InputError("there is no file here that can be read", path=source)


def _obstacle(path: str, readable: Callable[[str], bool]) -> str:
    """Why a file of a folder is passed over; empty if it is not."""
    if not is_url(path):
        mode = _mode(path)
        if not mode:
            return "is a link to nothing"
        if not stat.S_ISREG(mode):
            return "is not a file but a pipe, a socket or a device"
    return "" if readable(path) else unreadable(path)


def _mode(path: str) -> int:
    """The file's mode bits; 0 if it does not exist or the name is invalid."""
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError):
        return 0


def _walk(folder: str, lenient: Skips | None) -> Iterator[tuple[str, str]]:
    """All files below a folder that are not hidden, sorted, each with its subfolder."""

    def fail(error: OSError) -> None:
        skip(InputError(f"cannot be opened ({error.strerror})", path=error.filename), lenient)

    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        subfolder = Path(parent).relative_to(folder).as_posix()
        for name in sorted(name for name in names if not name.startswith(".")):
            yield str(Path(parent, name)), "" if subfolder == "." else f"{subfolder}/"
