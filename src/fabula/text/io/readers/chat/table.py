"""Chat exports that are tables: a column of text, and one of senders or times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.timestamps import read_times
from fabula.text.io.records import Record

__all__ = ["is_row", "read_rows"]

_TEXT = ("text", "message", "body", "content", "msg")
_SENDER = ("sender", "author", "from", "user", "username", "name", "handle")
_TIME = ("time", "timestamp", "datetime", "date_time", "sent", "sent_at", "created_at", "date")


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is a message, by the names of its columns."""
    return _columns(row) is not None


def read_rows(records: Sequence[Record], path: str, date_order: str | None = None) -> Chat:
    """The messages of a table whose first row is one, a row each."""
    columns = _columns(records[0].data) or {}
    times = read_times(
        [(r.line, r.data.get(columns["time"]) if "time" in columns else None) for r in records],
        path=path,
        date_order=date_order,
    )
    messages = []
    for record, time in zip(records, times.times, strict=True):
        row = record.data
        messages.append(
            Message(
                line=record.line,
                text=_cell(row.get(columns["text"])),
                sender=_cell(row.get(columns.get("sender", ""))) or None,
                time=time,
                id=_cell(row.get("id")) or None,
                reply_to=_cell(row.get("reply_to")) or None,
                thread=_cell(row.get("thread")) or None,
                system=str(row.get("system", "")).lower() in ("true", "1", "yes"),
            )
        )
    return Chat(messages, times.notes, times.order)


def _columns(row: Mapping[str, Any]) -> dict[str, str] | None:
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


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()
