"""A store of results on disk, so that an interrupted computation resumes: cells, folders, logs.

A result's file name is a readable label and a hash of its key, which holds all that the result
depends on (parameters, items, version). Writes are atomic. A result that cannot be read back is
logged and computed again.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from fabula.core.build_once import built
from fabula.core.files import canonical, fingerprint, make_folder, write_text
from fabula.core.safety.checked_json import parse_checked, with_checksum
from fabula.core.safety.ownership import remove_sealed
from fabula.errors import DamagedFile, InputError

__all__ = ["AppendLog", "CellStore", "cell_name"]

T = TypeVar("T")
Cell = dict[str, Any]

_log = logging.getLogger("fabula.core")
_LONGEST = 80  # characters of a label
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, DamagedFile)


def cell_name(label: str, key: Any) -> str:
    """The file name of a result: its label, then a hash of its key.

    ``key`` is made of JSON values, dataclasses and arrays.

    >>> cell_name("tau of linear", {"seed": 0})
    'tau-of-linear-bf5d857e91'
    """
    readable = re.sub(r"[-.]*[^A-Za-z0-9._-]+[-.]*", "-", label).strip("-.")[:_LONGEST]
    return f"{readable}-{fingerprint([canonical(key)])[:10]}"


class CellStore:
    """A folder of results, each computed once."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)

    def cell(self, label: str, key: Any, compute: Callable[[], Cell]) -> Cell:
        """The JSON object stored for ``key``; computed and stored if there is none."""
        stored = self.read(label, key)
        if stored is None:
            stored = compute()
            self.write(label, key, stored)
        return stored

    def read(self, label: str, key: Any) -> Cell | None:
        """The JSON object stored for ``key``, or None."""
        path = self._path(label, key)
        try:
            stored = parse_checked(path.read_bytes())
        except FileNotFoundError:
            return None
        except _UNREADABLE as error:
            _log.warning("%s cannot be read and is computed again: %s", path, error)
            return None
        return stored

    def write(self, label: str, key: Any, value: Cell) -> None:
        """Store a JSON object under ``key``, replacing any that was there."""
        make_folder(self.folder)
        write_text(self._path(label, key), json.dumps(with_checksum(value), indent=1) + "\n")

    def subfolder(
        self, label: str, key: Any, compute: Callable[[Path], T], load: Callable[[Path], T]
    ) -> T:
        """What ``load`` reads from the folder stored for ``key``.

        If there is none, ``compute`` fills a new folder and its own answer is given back.
        """
        path = self.folder / cell_name(label, key)
        if path.is_dir():
            try:
                return load(path)
            except _UNREADABLE as error:
                _log.warning("%s cannot be read and is computed again: %s", path, error)
                remove_sealed(path)
        computed: list[T] = []
        make_folder(self.folder)
        folder = built(path, lambda new: computed.append(compute(new)))
        return computed[0] if computed else load(folder)  # another process may have been first

    def _path(self, label: str, key: Any) -> Path:
        return self.folder / f"{cell_name(label, key)}.json"


class AppendLog:
    """A file of JSON lines that grows while a long computation runs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, value: Mapping[str, Any]) -> None:
        """Add an object as a line; when this returns, a power cut no longer loses it."""
        try:
            with self.path.open("ab") as stream:
                stream.write(json.dumps(with_checksum(value)).encode("ascii") + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise InputError(f"cannot write there ({error.strerror})", path=self.path) from error

    def read(self, parse: Callable[[Any], T]) -> list[T]:
        """The parsed lines; the file is truncated at the first incomplete or invalid line.

        Truncated, so that the next line is not appended to half of an old one.
        """
        if not self.path.exists():
            return []
        lines: list[T] = []
        end = 0
        with self.path.open("rb") as stream:
            for line in stream:
                try:
                    if not line.endswith(b"\n"):
                        raise ValueError("the last line is not whole")
                    lines.append(parse(parse_checked(line)))
                except (ValueError, KeyError, TypeError) as error:
                    _log.warning("%s is cut off after line %d: %s", self.path, len(lines), error)
                    break
                end += len(line)
        os.truncate(self.path, end)
        return lines

    def remove(self) -> None:
        """Remove the file: the computation is finished, or starts anew."""
        self.path.unlink(missing_ok=True)
