"""Bytes and lines of any file, compressed or not, with every failure an InputError.

Nothing here holds more than one line, and no line is longer than ``LIMIT``.
"""

from __future__ import annotations

import codecs
import io
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from lzma import LZMAError
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, cast

from fabula.errors import FabulaError, InputError, UsageError
from fabula.text.io.encodings import AUTO, decode_auto, detect, line_text, note_encoding
from fabula.text.io.limits import PackedSource, check_unpacked
from fabula.text.io.remote import is_url, open_remote

__all__ = [
    "COMPRESSED",
    "LIMIT",
    "Skips",
    "decode",
    "foreign",
    "iter_byte_lines",
    "iter_lines",
    "iter_text",
    "open_bytes",
    "read_bytes",
    "read_decoded",
    "read_text",
    "skip",
    "sniff",
    "split_name",
]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
LIMIT = 64 << 20  # bytes in one line, one record, or one document that is a file of its own
_BUFFER = 256 << 10
_CHUNK_BYTES = 1 << 20
_BOM = "\ufeff"
_MAX_REASONS = 5
_MAX_FILES = 10_000
_DUMP_PART = re.compile(r"\.xml-p\d+p\d+.*")  # Wikipedia's parts: ...-articles1.xml-p1p41242.bz2


@dataclass(slots=True)
class Skips:
    """What a lenient reader skipped: the count for each file, and the first few reasons.

    ``first`` has the first reason for each file (of at most ``_MAX_FILES``), ``encodings`` the
    files that were not in UTF-8.
    """

    counts: Counter[str] = field(default_factory=Counter)
    reasons: list[str] = field(default_factory=list)
    first: dict[str, str] = field(default_factory=dict)
    encodings: dict[str, str] = field(default_factory=dict)

    def add(self, error: FabulaError, path: str | PathLike[str] | None = None) -> None:
        """Count an error of the file it names, else of ``path``."""
        name = str(getattr(error, "path", None) or path or "input")
        self.counts[name] += 1
        if len(self.first) < _MAX_FILES:
            self.first.setdefault(name, getattr(error, "problem", None) or str(error))
        if len(self.reasons) < _MAX_REASONS:
            self.reasons.append(str(error))

    def notes(self, most: int = 20) -> list[str]:
        """One line for each skipped file with the reason, and one for each encoding, for a person.

        >>> skips = Skips()
        >>> skips.add(InputError("is of no kind that can be read", path="in/a.png"))
        >>> skips.notes()
        ['Skipped in/a.png: is of no kind that can be read.']
        """
        lines = []
        for name, reason in list(self.first.items())[:most]:
            count = self.counts[name]
            times = f" (and {count - 1} more there)" if count > 1 else ""
            lines.append(f"Skipped {name}: {reason.rstrip('.')}{times}.")
        if len(self.counts) > most:
            lines.append(f"Skipped {len(self.counts) - most} more files.")
        by_encoding: dict[str, list[str]] = {}
        for name, encoding in self.encodings.items():
            by_encoding.setdefault(encoding, []).append(name)
        for encoding, names in by_encoding.items():
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            lines.append(f"Read as {encoding}: {', '.join(names[:3])}{more}.")
        return lines

    @property
    def total(self) -> int:
        return self.counts.total()

    def report(self) -> str:
        """A few lines for a person; empty when nothing was skipped.

        >>> skips = Skips()
        >>> skips.add(InputError("not JSON", path="a.jsonl", line=3))
        >>> print(skips.report())
        skipped 1: 1 in a.jsonl
          a.jsonl:3: not JSON
        """
        if not self.counts:
            return ""
        files = ", ".join(
            f"{count} in {path}" for path, count in self.counts.most_common(_MAX_REASONS)
        )
        more = (
            f", and {len(self.counts) - _MAX_REASONS} more files"
            if len(self.counts) > _MAX_REASONS
            else ""
        )
        return "\n  ".join([f"skipped {self.total}: {files}{more}", *self.reasons])


def _open(path: str, compression: str) -> tuple[Any, PackedSource | None]:
    """The unpacked bytes of a file, and the packed ones below them if it is compressed."""
    source: Any = open_remote(path) if is_url(path) else Path(path).open("rb", buffering=0)  # noqa: SIM115
    if not compression:
        return source, None
    packed = PackedSource(source)
    reader: Any = io.BufferedReader(packed, _BUFFER)
    if compression == ".gz":
        import gzip

        return gzip.open(reader, "rb"), packed
    if compression == ".bz2":
        import bz2

        return bz2.open(reader, "rb"), packed
    if compression == ".xz":
        import lzma

        return lzma.open(reader, "rb"), packed
    # Not the zstandard package: its stream reader takes a truncated file for a complete one.
    import pyarrow as pa

    return pa.input_stream(reader, compression="zstd"), packed


def split_name(path: str | PathLike[str]) -> tuple[str, str, str]:
    """The stem, the suffix of the format, and the suffix of the compression.

    >>> split_name("news/x.train.JSONL.gz")
    ('x.train', '.jsonl', '.gz')
    >>> split_name("nyt_eng_199407.gz")
    ('nyt_eng_199407', '', '.gz')
    """
    name = Path(path)
    compression = name.suffix.lower()
    if compression in COMPRESSED:
        name = Path(name.stem)
    else:
        compression = ""
    suffix = _DUMP_PART.sub(".xml", name.suffix.lower())
    return ("stdin" if name.name == "-" else name.stem), suffix, compression


class _Guarded(io.RawIOBase):
    """A raw stream that names its file when reading fails or unpacks too far."""

    def __init__(self, stream: Any, path: str, packed: PackedSource | None = None) -> None:
        self._stream, self._path, self._packed = stream, path, packed
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = cast(int, self._stream.readinto(buffer))
        except (EOFError, LZMAError, zlib.error) as error:
            problem = f"the archive is damaged or ends too early ({error}); fetch or copy it again"
            raise InputError(problem, path=self._path) from error
        except OSError as error:
            what = (
                "the archive is damaged or ends too early"
                if self._packed is not None
                else "cannot be read"
            )
            raise InputError(f"{what} ({error})", path=self._path) from error
        if self._packed is not None:
            self._given += count
            check_unpacked(self._packed.taken, self._given, self._path)
        return count


@contextmanager
def open_bytes(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed by its suffix (.gz, .bz2, .xz, .zst); ``-`` is stdin."""
    name = str(path)
    if name == "-":
        yield io.BufferedReader(_Guarded(sys.stdin.buffer, name), _BUFFER)
        return
    compression = split_name(name)[2]
    try:
        stream, packed = _open(name, compression)
    except FileNotFoundError as error:
        raise InputError("does not exist", path=name) from error
    except IsADirectoryError as error:
        raise InputError("is a folder, and a file was expected", path=name) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be opened ({reason})", path=name) from error
    with packed or stream, stream:
        yield io.BufferedReader(_Guarded(stream, name, packed), _BUFFER)


def skip(error: FabulaError, lenient: Skips | None) -> None:
    """Record the error when lenient, else raise it."""
    if lenient is None:
        raise error
    lenient.add(error)


def decode(data: bytes, path: str, line: int, encoding: str = "utf-8") -> str:
    """Text of bytes that begin at ``line``; a byte that is no text is an error on its own line."""
    if encoding == AUTO:
        return _text(lambda: line_text(data), path, line, encoding)
    return _text(lambda: data.decode(encoding), path, line, encoding)


def _text(decoded: Callable[[], str], path: str, line: int, encoding: str) -> str:
    try:
        text = decoded()
    except UnicodeError as error:
        raise _undecodable(error, path, line, encoding) from error
    except LookupError as error:
        raise _unknown(encoding) from error
    if "\0" in text:
        line += text.count("\n", 0, text.index("\0"))
        problem = "holds a NUL character: not a text file, or UTF-16 (convert it to UTF-8)"
        raise InputError(problem, path=path, line=line)
    return text


def _unknown(encoding: str) -> UsageError:
    return UsageError(f"encoding {encoding!r} is not known; use auto, utf-8, latin-1 ...")


def _undecodable(error: UnicodeError, path: str, line: int, encoding: str) -> InputError:
    what = "the text"
    if isinstance(error, UnicodeDecodeError):
        line += error.object.count(b"\n", 0, error.start)
        what = f"byte 0x{error.object[error.start]:02X}"
    hint = f"name the file's encoding, or convert it: iconv -f WINDOWS-1252 -t UTF-8 {path}"
    return InputError(f"{what} is not {encoding.upper()}; {hint}", path=path, line=line)


def iter_text(path: str | PathLike[str], encoding: str = "utf-8") -> Iterator[str]:
    """Text in chunks of about a megabyte, not aligned to lines."""
    decode(b"", str(path), 1, encoding)  # raises at once on an unknown encoding
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_bytes(path) as stream:
        line, data = 1, b"\n"
        while data:
            data = stream.read(_CHUNK_BYTES)
            text = _text(partial(decoder.decode, data, not data), str(path), line, encoding)
            yield text if line > 1 else text.removeprefix(_BOM)
            line += text.count("\n")


def iter_byte_lines(
    path: str | PathLike[str], limit: int = LIMIT, lenient: Skips | None = None
) -> Iterator[tuple[int, bytes]]:
    """Lines with their ends, numbered from 1; one longer than ``limit`` is never held whole."""
    with open_bytes(path) as stream:
        number = 0
        while line := stream.readline(limit + 1):
            number += 1
            if len(line) <= limit:
                yield number, line
                continue
            problem = f"the line is longer than {limit >> 20} MB; split the file into lines"
            skip(InputError(problem, path=path, line=number), lenient)
            while line and not line.endswith(b"\n"):
                line = stream.readline(_BUFFER)


def iter_lines(
    path: str | PathLike[str],
    limit: int = LIMIT,
    *,
    encoding: str = "utf-8",
    lenient: Skips | None = None,
) -> Iterator[tuple[int, str]]:
    """Lines without their ends, numbered from 1.

    Text must be UTF-8 unless ``encoding`` says; with ``"auto"`` the file's beginning does, and a
    later line that is not UTF-8 is Windows-1252.
    """
    if encoding == AUTO:
        encoding = sniff(path)
        if encoding == "utf-8":
            yield from _lines_of(iter_byte_lines(path, limit, lenient), path, AUTO, lenient)
            return
    if _codec(encoding).startswith(("utf-16", "utf-32")):
        yield from _wide_lines(path, limit, encoding)
        return
    yield from _lines_of(iter_byte_lines(path, limit, lenient), path, encoding, lenient)


def sniff(path: str | PathLike[str]) -> str:
    """The encoding of a file by its beginning; standard input is taken for UTF-8."""
    if str(path) == "-":
        return "utf-8"
    with open_bytes(path) as stream:
        head = stream.read(_CHUNK_BYTES)
    encoding = detect(head, cut=len(head) == _CHUNK_BYTES)
    note_encoding(path, encoding)
    return encoding


def _codec(encoding: str) -> str:
    """Python's name of an encoding; an unknown one is a ``UsageError``."""
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise _unknown(encoding) from error


def _lines_of(
    lines: Iterator[tuple[int, bytes]],
    path: str | PathLike[str],
    encoding: str,
    lenient: Skips | None,
) -> Iterator[tuple[int, str]]:
    for number, data in lines:
        try:
            line = decode(data, str(path), number, encoding)
        except InputError as error:
            skip(error, lenient)
        else:
            yield number, (line if number > 1 else line.removeprefix(_BOM)).rstrip("\r\n")


def _wide_lines(path: str | PathLike[str], limit: int, encoding: str) -> Iterator[tuple[int, str]]:
    """Lines of UTF-16 or UTF-32, whose line ends are not single bytes."""
    number, rest = 0, ""
    for text in iter_text(path, encoding):
        *lines, rest = (rest + text).split("\n")
        for line in lines:
            number += 1
            yield number, line.rstrip("\r")
        if len(rest) > limit:
            problem = f"the line is longer than {limit >> 20} MB; split the file into lines"
            raise InputError(problem, path=path, line=number + 1)
    if rest:
        yield number + 1, rest.rstrip("\r")


def read_bytes(path: str | PathLike[str], limit: int = LIMIT) -> bytes:
    """A whole file, for formats in which a file is one document."""
    with open_bytes(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        problem = f"is one document of more than {limit >> 20} MB; split it, or store it as JSONL"
        raise InputError(problem, path=path)
    return data


def read_text(path: str | PathLike[str], encoding: str = "utf-8", limit: int = LIMIT) -> str:
    """A whole text file, its line ends as they are."""
    return read_decoded(path, encoding, limit)[0]


def read_decoded(
    path: str | PathLike[str], encoding: str = AUTO, limit: int = LIMIT
) -> tuple[str, str]:
    """A whole text file, its line ends as they are, and its encoding, detected if ``"auto"``."""
    data = read_bytes(path, limit)
    if encoding != AUTO:
        return decode(data, str(path), 1, encoding).removeprefix(_BOM), encoding
    text, encoding = decode_auto(data, path)
    return text.removeprefix(_BOM), encoding


@contextmanager
def foreign(path: str | PathLike[str], what: str) -> Iterator[None]:
    """Turn any exception of a third-party parser on a damaged file into an ``InputError``."""
    try:
        yield
    except FabulaError:
        raise
    except Exception as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise InputError(f"cannot be read as {what} ({reason})", path=path) from error
