"""Chat exports that are tables: a column of text, and one of senders or times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fabula.text.io.readers.chat.message import Message
from fabula.text.io.readers.chat.timestamps import read_times
from fabula.text.io.records import Record, read_records

__all__ = ["chat_columns", "read"]

_TEXT = ("text", "message", "body", "content", "msg")
_SENDER = ("sender", "author", "from", "user", "username", "name", "handle")
_TIME = ("time", "timestamp", "datetime", "date_time", "sent", "sent_at", "created_at", "date")


def chat_columns(row: Mapping[str, Any]) -> dict[str, str] | None:
    """The names of a row's text, sender and time columns; None unless the row is a message."""
    if "paragraphs" in row:
        return None
    by_name = {str(name).strip().lower().replace(" ", "_"): str(name) for name in row}

    def pick(names: Iterable[str]) -> str | None:
        return next((by_name[name] for name in names if name in by_name), None)

    text, sender, time = pick(_TEXT), pick(_SENDER), pick(_TIME)
    titled = "title" in by_name or "id" in by_name
    # A document has a title or an id and perhaps a date; a message has a sender or a time of day.
    if text is None or (sender is None and (time is None or (titled and time == "date"))):
        return None
    columns = {"text": text, "sender": sender, "time": time}
    return {field: name for field, name in columns.items() if name is not None}


def read(path: str) -> list[Message] | None:
    """The messages of a table, a row each; None where the first row is no message."""
    first: Record | None = next(iter(read_records(path)), None)
    columns = None if first is None else chat_columns(first.data)
    if columns is None:
        return None
    records = list(read_records(path))
    times = read_times(
        [(r.line, r.data.get(columns["time"]) if "time" in columns else None) for r in records],
        path=path,
    )
    return [
        Message(
            line=record.line,
            text=_cell(record.data.get(columns["text"])),
            sender=_cell(record.data.get(columns.get("sender", ""))) or None,
            time=time,
        )
        for record, time in zip(records, times, strict=True)
    ]


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()
