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
        forwarded = mapping(row.get("forwardedMessage"))
        text = maybe_text(row["content"]) or _embedded(row)
        text = text or maybe_text(forwarded.get("content")) or _embedded(forwarded)
        files = [*_files(row), *_files(forwarded)]
        reference = mapping(row.get("reference"))
        system = str(row.get("type", "Default")) not in _SPOKEN
        messages.append(
            Message(
                entry.line,
                text or ", ".join(f"<{name}>" for name in files),
                None if system else maybe_text(author.get("nickname") or author.get("name")),
                time,
                id=str(row["id"]),
                reply_to=None if forwarded else maybe_text(reference.get("messageId")),
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


def _embedded(row: Mapping[str, Any]) -> str:
    """The words of the boxes below a message; in those of bots is all they say."""
    lines: list[str | None] = []
    for embed in mappings(row.get("embeds")):
        author, footer = mapping(embed.get("author")), mapping(embed.get("footer"))
        lines += [maybe_text(author.get("name"))]
        lines += [maybe_text(embed.get("title")), maybe_text(embed.get("description"))]
        for field in mappings(embed.get("fields")):
            name, value = maybe_text(field.get("name")), maybe_text(field.get("value"))
            lines.append(f"{name or ''}: {value or ''}")
        lines.append(maybe_text(footer.get("text")))
    return "\n".join(line for line in lines if line)


def _files(row: Mapping[str, Any]) -> list[str]:
    """The names of what is attached."""
    files = [str(file.get("fileName") or "attachment") for file in mappings(row.get("attachments"))]
    return files + [str(s.get("name") or "sticker") for s in mappings(row.get("stickers"))]
