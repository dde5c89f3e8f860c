"""The encoding of a text file, detected: bytes in, text and the encoding's name out.

A byte order mark decides; then NULs at every other byte (UTF-16); then strict UTF-8. What is left
is an 8-bit encoding: Windows-1252 or Latin-1 where most letters are ASCII, which no statistics can
tell apart better than the bytes 0x80 to 0x9F, else what ``charset-normalizer`` finds most likely.
"""

from __future__ import annotations

import codecs
import logging
import re
from os import PathLike

from fabula.errors import InputError

__all__ = ["AUTO", "decode_auto", "detect", "is_binary", "line_text", "note_encoding"]

AUTO = "auto"

_log = logging.getLogger("fabula.text.io")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: it begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 << 10
_NUL_SHARE = 0.5  # of every other byte: English in UTF-16 has a NUL beside nearly every letter
_HIGH_SHARE = 0.2  # of the letters: above it, the text is not in the Latin alphabet
_CONTROL_SHARE = 0.005
_LETTER = re.compile(rb"[A-Za-z\x80-\xff]")
_HIGH = re.compile(rb"[\x80-\xff]")
_C1 = re.compile(rb"[\x80-\x9f]")
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in Windows-1252
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def detect(data: bytes, *, cut: bool = False) -> str:
    """The name of the encoding; ``data`` may be the beginning of a file, ``cut`` anywhere.

    >>> detect("café".encode()), detect("café".encode("cp1252")), detect("“a”".encode("cp1252"))
    ('utf-8', 'latin-1', 'windows-1252')
    >>> detect("Hello, harbour".encode("utf-16-le")), detect("Hello".encode("utf-16"))
    ('utf-16-le', 'utf-16-le')
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    sample = data[: _SAMPLE & ~1]
    if b"\0" in sample:
        even, odd = sample[::2], sample[1::2]
        if odd.count(0) > _NUL_SHARE * len(odd) and not even.count(0) > 0.1 * len(even):
            return "utf-16-le"
        if even.count(0) > _NUL_SHARE * len(even) and not odd.count(0) > 0.1 * len(odd):
            return "utf-16-be"
        return "utf-8"  # no text file: decoding will say so
    if _is_utf8(data, cut):
        return "utf-8"
    return _eight_bit(data)


def _is_utf8(data: bytes, cut: bool) -> bool:
    """Whether the bytes are UTF-8.

    A file of many multi-byte characters and a few wrong bytes is UTF-8 that was damaged or joined.
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=not cut)
    except UnicodeDecodeError:
        rest, characters = _MULTIBYTE.subn(b"", data)
        return characters > 2 * len(_HIGH.findall(rest))
    return True


def _eight_bit(data: bytes) -> str:
    high = len(_HIGH.findall(data))
    if high > _HIGH_SHARE * len(_LETTER.findall(data)) and len(data) > 20:
        from charset_normalizer import from_bytes

        best = from_bytes(data[:_SAMPLE]).best()
        if best is not None:
            return codecs.lookup(best.encoding).name
    return "windows-1252" if _C1.search(data) and not _UNDEFINED.search(data) else "latin-1"


def decode_auto(data: bytes, path: str | PathLike[str]) -> tuple[str, str]:
    """The text of a whole file and its encoding; what is no text is an ``InputError``."""
    encoding = detect(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-8":
            text = "".join(line_text(line) for line in data.splitlines(keepends=True))
            encoding = "utf-8 and windows-1252"
        else:
            text = data.decode(encoding, "replace")
    if is_binary(text):
        raise InputError("is not a text file: it holds control characters", path=path)
    note_encoding(path, encoding)
    return text, encoding


def line_text(line: bytes) -> str:
    """A line of UTF-8, or else of Windows-1252."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1" if _UNDEFINED.search(line) else "windows-1252")


def is_binary(text: str) -> bool:
    """Whether a text holds a NUL or more control characters than any text has."""
    return "\0" in text or len(_CONTROL.findall(text, 0, _SAMPLE)) > max(
        2, _CONTROL_SHARE * min(len(text), _SAMPLE)
    )


def note_encoding(path: str | PathLike[str], encoding: str) -> None:
    """Log that a file is not in UTF-8."""
    if encoding != "utf-8":
        _log.info("%s: read as %s", path, encoding)
