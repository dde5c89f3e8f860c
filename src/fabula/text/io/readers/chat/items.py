"""Chats as the task ``conversations`` stores them: an object with ``messages`` a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fabula.errors import InputError
from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.records import Record

__all__ = ["is_row", "read_rows"]


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a chat with its messages."""
    messages = row.get("messages")
    return (
        isinstance(messages, list)
        and bool(messages)
        and isinstance(messages[0], Mapping)
        and messages[0].keys() >= {"text", "sender"}
    )


def read_rows(records: Sequence[Record], path: str) -> Chat:
    """The messages of all chats of the file."""
    messages = []
    for record in records:
        name = str(record.data.get("id") or record.line)
        for number, row in enumerate(record.data.get("messages") or (), 1):
            try:
                message = Message.from_row(row, number)
            except (KeyError, ValueError) as error:
                problem = "'text' is missing" if isinstance(error, KeyError) else str(error)
                raise InputError(problem, path=path, line=record.line) from error
            chat = name if len(records) > 1 else None
            messages.append(replace(message, chat=chat, line=record.line))
    return Chat(messages)
