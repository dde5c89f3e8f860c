"""Remote sources: URLs of any fsspec filesystem (s3://, gs://, memory:// ...).

Only what the user named is opened; fsspec and the filesystem's package are the user's to install.
"""

from __future__ import annotations

from typing import Any

from fabula.core.files import filesystem
from fabula.errors import InputError

__all__ = ["is_url", "open_remote", "remote_files"]


def is_url(path: str) -> bool:
    """Whether a source is a URL.

    >>> is_url("s3://news/1994.jsonl.gz"), is_url("news/1994.jsonl.gz"), is_url("-")
    (True, False, False)
    """
    scheme, separator, _ = str(path).partition("://")
    return bool(separator and scheme) and scheme.replace("+", "").isalnum()


def open_remote(url: str) -> Any:
    """A stream of the bytes of a file; one that does not exist is a FileNotFoundError."""
    files, path = filesystem(url)
    return files.open(path, "rb")


def remote_files(url: str) -> tuple[dict[str, str], bool]:
    """The files of a folder or pattern with their subfolders; or none, and True for one file."""
    files, path = filesystem(url)
    if any(wildcard in path for wildcard in "*?["):
        matches = sorted(files.glob(path))
        return {files.unstrip_protocol(name): "" for name in matches if files.isfile(name)}, False
    if files.isfile(path):
        return {}, True
    if not files.exists(path):
        raise InputError("does not exist", path=url)
    subfolders = {}
    for name in sorted(files.find(path)):
        relative = str(name)[len(path.rstrip("/")) + 1 :]
        if not any(part.startswith(".") for part in relative.split("/")):
            folder = relative.rpartition("/")[0]
            subfolders[files.unstrip_protocol(name)] = f"{folder}/" if folder else ""
    return subfolders, False
