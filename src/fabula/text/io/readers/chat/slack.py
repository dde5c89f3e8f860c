"""Slack's export: a folder a channel, a JSON array a day, ``users.json`` at the top."""

from __future__ import annotations

import html
import json
import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fabula.errors import FabulaError
from fabula.text.io.readers.chat.foreign_json import mapping, mappings, maybe_text, values
from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.timestamps import read_times
from fabula.text.io.records import Record
from fabula.text.io.streams import read_text

__all__ = ["is_row", "read_rows"]

_LOG = logging.getLogger("fabula.text.chat")
_MENTION = re.compile(r"<@(\w+)(?:\|([^<>]*))?>")
_CHANNEL = re.compile(r"<#\w+\|([^<>]*)>")
_SPECIAL = re.compile(r"<!(here|channel|everyone)(?:\|[^<>]*)?>")
_NAMED = re.compile(r"<[!#][^<>|]*\|([^<>]*)>")  # a group, a date: <!subteam^S1|@team>
_LINK = re.compile(r"<((?:https?|mailto):[^<>|]*)(?:\|([^<>]*))?>")
# Subtypes in which a person speaks; every other one is a notice of the program.
_SPOKEN = {"bot_message", "me_message", "thread_broadcast", "file_share", "file_comment"}


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message of a channel's day."""
    return row.get("type") == "message" and "ts" in row


def read_rows(records: Sequence[Record], path: str) -> Chat:
    """The messages of a day; ``thread_ts`` names the first message of a thread."""
    people = _people(Path(path))
    records = [record for record in records if is_row(record.data)]
    times = read_times([(r.line, r.data["ts"]) for r in records], path=path)
    messages = []
    for record, time in zip(records, times.times, strict=True):
        row = record.data
        subtype = row.get("subtype")
        system = subtype is not None and subtype not in _SPOKEN
        text = _plain(_text(row), people)
        files = [str(f.get("name") or "file") for f in mappings(row.get("files"))]
        media = not text and bool(files)
        messages.append(
            Message(
                record.line,
                text or ", ".join(f"<{name}>" for name in files),
                None if system else _sender(row, people),
                time,
                id=str(row["ts"]),
                thread=maybe_text(row.get("thread_ts")),
                reactions=tuple(
                    f":{reaction.get('name')}:"
                    for reaction in mappings(row.get("reactions"))
                    for _ in values(reaction.get("users")) or (None,)
                ),
                system=system,
                media=media,
            )
        )
    return Chat(messages, times.notes)


def _text(row: Mapping[str, Any]) -> str:
    """The words of a message; of one without text those of its blocks, of a bot its attachments'.

    An attachment with an address of its own is the preview of a link.
    """
    text = maybe_text(row.get("text")) or _block_text(row.get("blocks"))
    attached = [
        _attached(attachment)
        for attachment in mappings(row.get("attachments"))
        if not text or not (attachment.get("from_url") or attachment.get("original_url"))
    ]
    return "\n".join(part for part in (text, *attached) if part)


def _attached(row: Mapping[str, Any]) -> str:
    fields = [
        f"{maybe_text(field.get('title')) or ''}: {maybe_text(field.get('value')) or ''}"
        for field in mappings(row.get("fields"))
    ]
    parts = [maybe_text(row.get(name)) for name in ("pretext", "title", "text")]
    return "\n".join(part for part in (*parts, *fields) if part) or (
        maybe_text(row.get("fallback")) or ""
    )


def _block_text(blocks: Any) -> str:
    """The text of rich-text blocks, as markup; a block ends a line."""
    lines: list[str] = []
    for block in mappings(blocks):
        found: list[str] = []
        waiting: list[Any] = [block]
        while waiting:
            element = waiting.pop()
            if not isinstance(element, Mapping):
                continue
            kind, text = element.get("type"), maybe_text(element.get("text"))
            if kind == "user":
                found.append(f"<@{element.get('user_id')}>")
            elif kind == "emoji":
                found.append(f":{element.get('name')}:")
            elif kind == "broadcast":
                found.append(f"@{element.get('range')}")
            elif kind == "link":
                found.append(text or maybe_text(element.get("url")) or "")
            elif text:
                found.append(text)
            inner = (*values(element.get("elements")), element.get("text"))
            waiting += reversed(inner)
        lines.append("".join(found).strip())
    return "\n".join(line for line in lines if line)


def _sender(row: Mapping[str, Any], people: Mapping[str, str]) -> str | None:
    profile = mapping(row.get("user_profile"))
    own = profile.get("display_name") or profile.get("real_name") or profile.get("name")
    name = own or people.get(str(row.get("user"))) or row.get("username") or row.get("user")
    return str(name or row.get("bot_id") or "") or None


def _people(path: Path) -> dict[str, str]:
    """Names by user id, of the ``users.json`` beside the channel's folder or beside the file."""
    for folder in (path.parent, path.parent.parent):
        users = folder / "users.json"
        try:
            rows = json.loads(read_text(str(users))) if users.is_file() else None
        except (FabulaError, OSError, ValueError, RecursionError) as error:
            _LOG.warning("%s: not a list of users (%s)", users, error)
            continue
        if isinstance(rows, list):
            return {str(r.get("id")): _name(r) for r in rows if isinstance(r, dict)}
    return {}


def _name(row: Mapping[str, Any]) -> str:
    profile = mapping(row.get("profile"))
    name = profile.get("display_name") or profile.get("real_name") or row.get("real_name")
    return str(name or row.get("name") or row.get("id"))


def _plain(text: str, people: Mapping[str, str]) -> str:
    """Slack's markup as text: ``<@U1>`` is @Ann, ``<url|words>`` the words, ``&lt;`` a <."""
    text = _MENTION.sub(lambda m: f"@{people.get(m[1]) or m[2] or m[1]}", text)
    text = _CHANNEL.sub(lambda m: f"#{m[1]}", text)
    text = _NAMED.sub(lambda m: m[1], _SPECIAL.sub(lambda m: f"@{m[1]}", text))
    return html.unescape(_LINK.sub(lambda m: m[2] or m[1], text))
