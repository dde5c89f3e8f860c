"""Limits while reading: how far a file may unpack, and how much one part of it may hold.

A few kilobytes of compressed zeros unpack to gigabytes. Text compresses ten to twenty times; what
unpacks to ``RATIO`` times its size is no text, and reading stops there, before memory is used.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabula.errors import InputError

if TYPE_CHECKING:
    from fabula.text.io.documents import Options

__all__ = [
    "MOST_ELEMENTS",
    "MOST_PARAGRAPHS",
    "MOST_PARTS",
    "MOST_SENTENCES",
    "MOST_XML",
    "RATIO",
    "UNPACKED",
    "BoundedParts",
    "PackedSource",
    "check_unpacked",
    "open_zip",
]

RATIO = 200  # unpacked bytes for each packed byte
UNPACKED = 64 << 20  # bytes any file may unpack to, whatever its ratio
MOST_XML = 64 << 20  # bytes of XML in an office document
MOST_ELEMENTS = 1_000_000  # XML elements in one part: a parser holds hundreds of bytes for each
MOST_PARAGRAPHS = 200_000  # of one document: six times as many as the verses of the Bible
MOST_PARTS = 20_000  # of one e-mail
MOST_SENTENCES = 100_000  # of one pile on the command line; the page takes fewer


Part = TypeVar("Part", str, bytes)


class BoundedParts(Generic[Part]):
    """The lines of one document in a file of many: dropped, and skipped once, beyond ``limit``.

    ``line`` is where the document begins, 0 between documents.
    """

    def __init__(self, what: str, path: str, options: Options, limit: int) -> None:
        self.what, self.path, self.options, self.limit = what, path, options, limit
        self.end()

    def begin(self, line: int) -> None:
        self.end()
        self.line = line

    def end(self) -> None:
        self.line, self.size = 0, 0
        self.parts: list[Part] = []

    def add(self, part: Part) -> None:
        fitted = self.fits
        self.size += len(part)
        if self.fits:
            self.parts.append(part)
        elif fitted:
            self.parts = []
            problem = f"the {self.what} is larger than {self.limit >> 20} MB"
            self.options.skip(InputError(problem, path=self.path, line=self.line))

    @property
    def fits(self) -> bool:
        return self.size <= self.limit


class PackedSource(io.RawIOBase):
    """A compressed file that counts the bytes taken from it."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.taken = stream, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def check_unpacked(packed: int, unpacked: int, path: str | PathLike[str]) -> None:
    """``InputError`` if a file has unpacked further than text can.

    >>> check_unpacked(1000, 20_000, "news.gz")
    >>> check_unpacked(9_000, 100 << 20, "zeros.xz")
    Traceback (most recent call last):
    fabula.errors.InputError: zeros.xz: unpacks to more than 200 times its size ...
    """
    if unpacked > UNPACKED and unpacked > RATIO * packed:
        problem = (
            f"unpacks to more than {RATIO} times its size and {UNPACKED >> 20} MB, as no text "
            "does; if it is meant so, unpack it and name the unpacked file"
        )
        raise InputError(problem, path=path)


@contextmanager
def open_zip(data: bytes, path: str | PathLike[str]) -> Iterator[zipfile.ZipFile]:
    """A zip archive in memory whose XML is small enough to be parsed whole.

    Sizes come from the archive's own list, which ``zipfile`` holds each member to.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [entry for entry in archive.infolist() if _is_xml(entry.filename)]
        total = sum(entry.file_size for entry in members)
        if total > MOST_XML:
            raise InputError(f"holds more than {MOST_XML >> 20} MB of XML", path=path)
        for entry in members:
            if archive.read(entry).count(b"<") > 2 * MOST_ELEMENTS:  # each opens and closes
                problem = f"holds more than {MOST_ELEMENTS:,} XML elements in {entry.filename}"
                raise InputError(problem, path=path)
        yield archive


def _is_xml(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx"))
