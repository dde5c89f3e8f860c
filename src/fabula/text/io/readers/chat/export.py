"""``read_messages``: the messages of a chat export, whatever program wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath

from fabula.text.io.readers.chat import table
from fabula.text.io.readers.chat.message import documents_of
from fabula.text.io.streams import split_name
from fabula.types import Document

__all__ = ["read_messages"]

_TABLES = ("csv", "tsv", "jsonl", "ndjson", "json")


def read_messages(path: str | PathLike[str]) -> Iterator[Document] | None:
    """One document a message, in the order of the file; None where the file is no chat export."""
    name = fspath(path)
    if split_name(name)[1].removeprefix(".") in _TABLES:
        messages = table.read(name)
        return None if messages is None else documents_of(messages, name)
    return None
