"""Which files a source stands for: the file itself, a folder's, those that fit a pattern."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from fabula.errors import InputError
from fabula.text.io.remote import is_url, remote_files
from fabula.text.io.streams import Skips

__all__ = ["files_of"]


def files_of(
    source: str, readable: Callable[[str], bool], lenient: Skips | None
) -> Iterator[tuple[str, str]]:
    """Paths, each with the folder (inside the source) that tells equal names apart.

    What is named directly is given as it is; in a folder or pattern, only what is readable.
    """
    mode = 0 if is_url(source) else _mode(source)
    if is_url(source):
        found, whole = remote_files(source)
        if whole:
            yield source, ""
            return
    elif stat.S_ISDIR(mode):
        found = dict(_below(source))
    elif mode or source == "-":
        yield source, ""
        return
    elif glob.has_magic(source):
        found = {}
        # Path.glob takes no absolute pattern, and shows hidden files.
        for path in sorted(glob.glob(source, recursive=True)):  # noqa: PTH207
            inside = _below(path) if stat.S_ISDIR(_mode(path)) else [(path, "")]
            found.update(item for item in inside if item[0] not in found)
    else:
        problem = "does not exist; a source is a file, a folder, a pattern, - or a packaged corpus"
        raise InputError(problem, path=source)
    nothing = True
    for path, folder in found.items():
        if path.endswith(".meta.json"):
            continue  # tells of the file beside it
        if readable(path):
            nothing = False
            yield path, folder
        elif lenient is not None:
            lenient.add(InputError("is of no kind that can be read", path=path))
    if nothing:
        raise InputError("there is no file here that can be read", path=source)


def _mode(path: str) -> int:
    """What kind of file it is; 0 if there is none, or the name cannot be one."""
    try:
        return Path(path).stat().st_mode
    except (OSError, ValueError):
        return 0


def _below(folder: str) -> Iterator[tuple[str, str]]:
    def fail(error: OSError) -> None:
        raise InputError(f"cannot be opened ({error.strerror})", path=error.filename)

    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = Path(parent).relative_to(folder).as_posix()
        for name in sorted(name for name in names if not name.startswith(".")):
            yield str(Path(parent, name)), "" if inside == "." else f"{inside}/"
