"""Discord, as DiscordChatExporter writes it: ``guild``, ``channel`` and ``messages``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.nested import Entry
from fabula.text.io.readers.chat.timestamps import read_times

__all__ = ["is_row", "read_entries"]

_SPOKEN = {"Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "0", "19", "20", "23"}


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message of such an export."""
    return row.keys() >= {"id", "timestamp", "content", "author"} and isinstance(
        row["author"], Mapping
    )


def read_entries(entries: list[Entry], path: str) -> Chat:
    """The messages; a reply names the message it answers (``reference``)."""
    times = read_times([(entry.line, entry.row["timestamp"]) for entry in entries], path=path)
    messages = []
    for entry, time in zip(entries, times.times, strict=True):
        row = entry.row
        author = row["author"]
        text = str(row["content"] or "")
        files = [str(a.get("fileName") or "attachment") for a in row.get("attachments") or ()]
        files += [str(s.get("name") or "sticker") for s in row.get("stickers") or ()]
        reference = row.get("reference") or {}
        system = str(row.get("type", "Default")) not in _SPOKEN
        messages.append(
            Message(
                entry.line,
                text or ", ".join(f"<{name}>" for name in files),
                None if system else str(author.get("nickname") or author.get("name") or "") or None,
                time,
                id=str(row["id"]),
                reply_to=str(reference["messageId"]) if reference.get("messageId") else None,
                reactions=tuple(
                    str((reaction.get("emoji") or {}).get("name"))
                    for reaction in row.get("reactions") or ()
                    for _ in range(min(int(reaction.get("count") or 1), 100))
                ),
                system=system,
                media=not text and bool(files),
            )
        )
    return Chat(messages, times.notes)
