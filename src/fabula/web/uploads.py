"""Save pasted text and uploaded files in the pile's folder."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from typing import Any

from fabula.errors import InputError

__all__ = ["MOST_BYTES", "MOST_FILES", "MOST_TEXT", "save_uploads"]

MOST_TEXT = 2_000_000  # characters pasted
MOST_BYTES = 20 << 20  # of all files of one request
MOST_FILES = 200
_UNSAFE = re.compile(r"[^\w. ()-]+")


def save_uploads(folder: Path, text: Any, files: Any) -> list[Path]:
    """Write pasted text and files into the folder; all is checked before any is written."""
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
                (_safe_name(str(file["name"])), base64.b64decode(file["data"], validate=True))
            )
        except (KeyError, TypeError, ValueError, binascii.Error) as error:
            raise InputError("a file must have a 'name' and its 'data' in base64") from error
    if sum(len(data) for _, data in parts) > MOST_BYTES:
        raise InputError(f"the files are larger than {MOST_BYTES >> 20} MB together")
    if not parts:
        raise InputError("there is no text: paste some, or drop files")
    folder.mkdir(parents=True, exist_ok=True)
    count = len(list(folder.iterdir()))
    written = []
    for position, (name, data) in enumerate(parts, count + 1):
        path = folder / f"{position:04d}-{name}"
        path.write_bytes(data)
        written.append(path)
    return written


def _safe_name(name: str) -> str:
    """A file's base name with unsafe characters replaced.

    >>> _safe_name("../../etc/pass wd"), _safe_name("..\\\\x<y>.txt"), _safe_name("...")
    ('pass wd', 'x_y_.txt', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    return _UNSAFE.sub("_", last).strip(". ")[-80:] or "file"
