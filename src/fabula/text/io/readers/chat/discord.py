"""Discord, as DiscordChatExporter writes it: ``guild``, ``channel`` and ``messages``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula.text.io.readers.chat.foreign_json import count_of, mapping, mappings, maybe_text
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
        text = maybe_text(row["content"]) or ""
        files = [str(a.get("fileName") or "attachment") for a in mappings(row.get("attachments"))]
        files += [str(s.get("name") or "sticker") for s in mappings(row.get("stickers"))]
        reference = mapping(row.get("reference"))
        system = str(row.get("type", "Default")) not in _SPOKEN
        messages.append(
            Message(
                entry.line,
                text or ", ".join(f"<{name}>" for name in files),
                None if system else maybe_text(author.get("nickname") or author.get("name")),
                time,
                id=str(row["id"]),
                reply_to=maybe_text(reference.get("messageId")),
                reactions=tuple(
                    str(mapping(reaction.get("emoji")).get("name"))
                    for reaction in mappings(row.get("reactions"))
                    for _ in range(count_of(reaction.get("count")))
                ),
                system=system,
                media=not text and bool(files),
            )
        )
    return Chat(messages, times.notes)
