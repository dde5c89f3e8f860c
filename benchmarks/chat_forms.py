"""Chats written as programs export them, for measuring what is lost on the way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from fabula.conversations.clock import minutes
from fabula.text.io.readers.chat.message import Message

__all__ = ["FORMS"]

_START = datetime(2021, 5, 17, 9, 0)  # a day that no other order of its numbers allows


def _moments(messages: Sequence[Message]) -> list[datetime]:
    """When each message was sent, on a day of its own where the chat tells the time alone."""
    sent = minutes([message.time for message in messages])
    first = next((m.time for m in messages if m.time), "09:00")
    hour, minute = (int(part) for part in first.rpartition("T")[2].split(":")[:2])
    start = _START.replace(hour=hour, minute=minute)
    return [start + timedelta(minutes=float(m)) for m in (sent if sent is not None else [])]


def _android(messages: Sequence[Message]) -> str:
    lines = []
    for message, at in zip(messages, _moments(messages), strict=True):
        # A notice of WhatsApp's has no colon.
        said = message.text.replace(": ", " ") if message.system else message.text
        who = "" if message.system else f"{message.sender}: "
        lines.append(f"{at:%d/%m/%Y, %H:%M} - {who}{said}\n")
    return "".join(lines)


def _ios(messages: Sequence[Message]) -> str:
    lines = []
    for message, at in zip(messages, _moments(messages), strict=True):
        said = f"\u200e{message.text}" if message.system else message.text
        who = "Group" if message.system else message.sender
        lines.append(f"[{at:%m/%d/%y, %I:%M:%S\u202f%p}] {who}: {said}\n")
    return "".join(lines)


def _telegram(messages: Sequence[Message]) -> str:
    rows = []
    for number, (message, at) in enumerate(zip(messages, _moments(messages), strict=True), 1):
        row = {"id": number, "type": "message", "date": at.isoformat(), "text": message.text}
        if message.system:
            row |= {"type": "service", "actor": message.text, "action": "", "text": ""}
        rows.append(row | {"from": message.sender})
    return json.dumps({"name": "Group", "type": "private_group", "id": 1, "messages": rows})


def _discord(messages: Sequence[Message]) -> str:
    rows = [
        {
            "id": str(number),
            "type": "GuildMemberJoin" if message.system else "Default",
            "timestamp": f"{at.isoformat()}+00:00",
            "content": message.text,
            "author": {"id": "1", "name": message.sender or "", "isBot": False},
        }
        for number, (message, at) in enumerate(zip(messages, _moments(messages), strict=True))
    ]
    return json.dumps({"guild": {}, "channel": {}, "messages": rows}, indent=2)


def _irssi(messages: Sequence[Message]) -> str:
    lines, day = [], None
    for message, at in zip(messages, _moments(messages), strict=True):
        if at.date() != day:
            day = at.date()
            lines.append(f"--- Day changed {at:%a %b %d %Y}\n")
        said = f"-!- {message.text}" if message.system else f"< {message.sender}> {message.text}"
        lines.append(f"{at:%H:%M} {said}\n")
    return "".join(lines)


# The file's name and how its text is made.
FORMS: dict[str, tuple[str, Callable[[Sequence[Message]], str]]] = {
    "WhatsApp, Android": ("chat.txt", _android),
    "WhatsApp, iOS": ("_chat.txt", _ios),
    "Telegram": ("result.json", _telegram),
    "Discord": ("channel.json", _discord),
    "irssi": ("channel.log", _irssi),
}


def write(form: str, messages: Sequence[Message], folder: Path) -> Path:
    """The chat as a file of that form."""
    name, text = FORMS[form]
    path = folder / name
    path.write_text(text(messages), encoding="utf-8")
    return path
