"""Folders that fabula made: marked when they are created, and only then ever emptied.

A folder is claimed if it is new or empty; one with files in it and without the mark belongs to
somebody else and is refused. ``seal`` lists the files of a finished folder with their SHA-256:
``damage`` finds what has changed since, and ``remove_sealed`` removes what is listed and no more.
"""

from __future__ import annotations

import json
import logging
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from fabula.core.files import atomic, make_folder, sha256_of
from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError

__all__ = ["MARK", "claim", "damage", "is_claimed", "remove_files", "remove_sealed", "seal"]

MARK = ".fabula-folder"
_KIND = "a folder that fabula made; it removes its own files in it"
_log = logging.getLogger("fabula.core")


def is_claimed(folder: Path) -> bool:
    """Whether a folder has the mark."""
    return _mark(folder).get("kind") == _KIND


def claim(folder: Path, *, ours: re.Pattern[str] | None = None) -> Path:
    """Make a folder that only the user may look into, and mark it.

    ``InputError`` if it holds files and is not marked. Where all its files have names that match
    ``ours``, it is one from before folders were marked, and is marked now.
    """
    if is_claimed(folder):
        return folder
    make_folder(folder)
    foreign = [path.name for path in folder.iterdir() if not (ours and ours.fullmatch(path.name))]
    if foreign:
        problem = f"holds files that fabula did not write ({min(foreign)}); name a new folder"
        raise InputError(problem, path=folder)
    folder.chmod(0o700)
    _write_mark(folder, {})
    return folder


def seal(folder: Path) -> None:
    """Mark a finished folder with the list of its files and their SHA-256."""
    files = {
        path.relative_to(folder).as_posix(): sha256_of(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / MARK
    }
    _write_mark(folder, {"files": files})


def damage(folder: Path) -> str:
    """What has changed in a sealed folder since it was sealed; empty if nothing has."""
    files = _sealed_files(folder)
    if files is None:
        return f"{folder} is not marked as complete"
    for name, digest in files.items():
        try:
            if sha256_of(folder / name) != digest:
                return f"{folder / name} is not what was written"
        except OSError as error:
            return f"{folder / name} cannot be read ({error.strerror})"
    return ""


def remove_sealed(folder: Path) -> bool:
    """Remove the listed files of a sealed folder, and what is empty then; whether it is gone."""
    files = None if folder.is_symlink() else _sealed_files(folder)
    if files is None:
        return False
    for name in files:
        (folder / name).unlink(missing_ok=True)
    (folder / MARK).unlink(missing_ok=True)
    for parent, _, _ in os.walk(folder, topdown=False):
        if not any(Path(parent).iterdir()):
            Path(parent).rmdir()
    if folder.exists():
        _log.warning("%s stays: it holds files that fabula did not write", folder)
    return not folder.exists()


def remove_files(folder: Path, names: re.Pattern[str]) -> None:
    """Remove the files directly in ``folder`` whose whole names match."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if names.fullmatch(path.name) and (path.is_symlink() or path.is_file()):
            path.unlink(missing_ok=True)


def _sealed_files(folder: Path) -> dict[str, str] | None:
    """The listed files; None if there is no list, or one that leads out of the folder."""
    files = _mark(folder).get("files")
    if not isinstance(files, dict):
        return None
    paths = map(PurePosixPath, files)
    inside = all(path.parts and not path.is_absolute() and ".." not in path.parts for path in paths)
    return files if inside else None


def _mark(folder: Path) -> dict[str, Any]:
    try:
        mark = parse_json((folder / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return mark if isinstance(mark, dict) and mark.get("kind") == _KIND else {}


def _write_mark(folder: Path, facts: dict[str, Any]) -> None:
    try:
        with atomic(folder / MARK) as temporary:
            temporary.write_text(json.dumps({"kind": _KIND, **facts}, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise InputError(f"cannot write there ({error.strerror})", path=folder) from error
