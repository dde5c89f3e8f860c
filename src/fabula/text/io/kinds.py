"""The kind of a file, which names its reader: by its suffix, its place, or its beginning."""

from __future__ import annotations

import logging
import re
import zipfile
from pathlib import Path

from fabula.errors import FabulaError
from fabula.text.io.remote import is_url
from fabula.text.io.streams import open_bytes, split_name

__all__ = ["kind_of", "suffix_of", "unreadable"]

_log = logging.getLogger(__name__)

_BEGINNINGS = (
    (re.compile(rb"\s*<DOC\b"), "sgml"),
    (re.compile(rb"\s*<(?:!doctype html|html)\b", re.IGNORECASE), "html"),
    (re.compile(rb"From \S+ .*\d\d:\d\d"), "mbox"),
    (re.compile(rb"%PDF-"), "pdf"),
    (re.compile(rb"\{\\rtf"), "rtf"),
)
_MAIL_HEADER = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|From|To|Cc|Date|Sent|Message-ID|MIME-Version|Subject|"
    rb"Reply-To|In-Reply-To|References|Content-Type|X-[\w-]+|ARC-[\w-]+|DKIM-Signature): ",
    re.IGNORECASE,
)
_MEMBERS = {
    "word/document.xml": "docx",
    "xl/workbook.xml": "xlsx",
    "META-INF/container.xml": "epub",
    "content.xml": "odt",
}
_HINTS = {
    "msg": "save it as .eml", "pst": "export it as .mbox", "doc": "save it as .docx",
    "xls": "save it as .xlsx", "pages": "export it as .docx", "ppt": "save it as .pdf",
    "pptx": "save it as .pdf", "zip": "unpack it", "7z": "unpack it", "rar": "unpack it",
    "tar": "unpack it",
}  # fmt: skip
_HEAD = 4096


def suffix_of(path: str) -> str:
    """The suffix of the format in small letters, without its dot and that of a compression."""
    return split_name(path)[1].removeprefix(".")


def kind_of(path: str) -> str:
    """The kind of a file: of one without a suffix, and of text that is a saved mail, by content."""
    if _in_maildir(path):
        return "eml"
    suffix = suffix_of(path)
    # A pipe can be read only once.
    if suffix not in ("", "txt", "text") or not (is_url(path) or Path(path).is_file()):
        return suffix or "txt"
    try:
        with open_bytes(path) as stream:
            head = stream.read(_HEAD)
    except FabulaError:
        return suffix or "txt"  # the reader will say what is wrong
    if _is_mail(head):
        return "eml"
    if suffix:
        return suffix
    for beginning, kind in _BEGINNINGS:
        if beginning.match(head):
            return kind
    return _zipped(path) if head.startswith(b"PK\x03\x04") else "txt"


def unreadable(path: str) -> str:
    """What is said of a file of no known kind."""
    hint = _HINTS.get(suffix_of(path))
    return "is of no kind that can be read" + (f"; {hint}" if hint else "")


def _in_maildir(path: str) -> bool:
    """Whether a file is a message of a maildir: a folder with cur, new and tmp."""
    folder = Path(path).parent
    return folder.name in ("cur", "new") and all(
        (folder.parent / name).is_dir() for name in ("cur", "new", "tmp")
    )


def _is_mail(head: bytes) -> bool:
    """Whether text begins with a mail's headers: three or more, From among them."""
    headers = re.split(rb"\r?\n\r?\n", head.removeprefix(b"\xef\xbb\xbf"), maxsplit=1)[0]
    lines = [line for line in re.split(rb"\r?\n", headers) if not line.startswith((b" ", b"\t"))]
    if not lines or not _MAIL_HEADER.match(lines[0]):
        return False
    known = [line for line in lines if _MAIL_HEADER.match(line)]
    named = {line.split(b":")[0].lower() for line in known}
    return len(known) >= 3 and b"from" in named and bool({b"date", b"sent", b"subject"} & named)


def _zipped(path: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        _log.info("%s: a damaged archive, taken for text: %s", path, error)
        return "txt"
    return next((kind for member, kind in _MEMBERS.items() if member in names), "txt")
