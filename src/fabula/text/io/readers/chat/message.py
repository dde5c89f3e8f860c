"""A chat message as its export tells it, and the document it becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from fabula.text.io.documents import paragraphs_of
from fabula.text.io.readers.chat.timestamps import DateOrder
from fabula.types import Aside, Document

__all__ = ["Chat", "Message", "documents_of"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``time`` is ISO 8601, or a clock time alone where the export has no days.

    ``id`` is the export's own name of the message; ``reply_to`` is the id of the message it
    answers and ``thread`` that of the thread it stands in, where the export tells. ``system``
    marks what the program wrote (joined, left, renamed), ``media`` a message that is nothing but
    an attachment. ``chat`` names the chat in an export of several. ``verbatim``: the lines of the
    text are lines of the file.
    """

    line: int
    text: str
    sender: str | None = None
    time: str | None = None
    id: str | None = None
    reply_to: str | None = None
    thread: str | None = None
    reactions: tuple[str, ...] = ()
    system: bool = False
    media: bool = False
    chat: str | None = None
    verbatim: bool = False

    @classmethod
    def from_row(cls, row: Any, number: int) -> Message:
        """A message from a JSON object; ``number`` is its line where the object has none."""
        if not isinstance(row, Mapping):
            raise ValueError(f"message {number} must be an object with 'sender', 'time' and 'text'")
        if not isinstance(row["text"], str):
            raise ValueError(
                f"message {number}: 'text' must be a string; it is {row['text']!r:.40}"
            )
        named = {}
        for name in ("sender", "time", "id", "reply_to", "thread"):
            value = row.get(name)
            if isinstance(value, bool | float | list | dict):
                raise ValueError(
                    f"message {number}: {name!r} must be a string; it is {value!r:.40}"
                )
            named[name] = None if value is None else str(value)
        line = row.get("line")
        return cls(
            line=line if type(line) is int else number,
            text=row["text"],
            sender=named["sender"],
            time=named["time"],
            id=named["id"],
            reply_to=named["reply_to"],
            thread=named["thread"],
            reactions=tuple(map(str, row.get("reactions") or ())),
            system=bool(row.get("system")),
            media=bool(row.get("media")),
        )

    def to_row(self) -> dict[str, Any]:
        """The message as a JSON object; what it does not have is left out."""
        row: dict[str, Any] = {"sender": self.sender, "time": self.time, "text": self.text}
        for name in ("id", "reply_to", "thread", "system", "media"):
            if value := getattr(self, name):
                row[name] = value
        if self.reactions:
            row["reactions"] = list(self.reactions)
        return {**row, "line": self.line}


class Chat(NamedTuple):
    """The messages of an export, notes on how it was understood where that is a guess, and the
    order in which its dates were read, where they had to be read in one.

    ``folder`` is the folder whose files are one chat, a file a day or a page; None where the file
    is all there is of it.
    """

    messages: list[Message]
    notes: tuple[str, ...] = ()
    date_order: DateOrder | None = None
    folder: str | None = None


def documents_of(chat: Chat, path: str) -> Iterator[Document]:
    """A document a message: ``extra`` has chat, sender, time, conversation_source and what else
    the export tells; ``reply_to`` names the answered message's document.

    System lines and bare attachments are asides of the next message; a chat of nothing else gives
    them as documents. The first document carries the notes of the export and its ``date_order``.
    """
    notes = list(chat.notes)
    date_order = chat.date_order._asdict() if chat.date_order else None
    export = chat.folder or path
    documents: dict[tuple[str | None, str], str] = {}
    on_line: Counter[int] = Counter()
    pending: list[Aside] = []
    last: Document | None = None
    for message in chat.messages if _said(chat) else _as_spoken(chat):
        paragraphs = paragraphs_of(message.text)
        if not paragraphs:
            continue  # a picture, a sticker, a deleted message
        if message.system or message.media:
            kind = "notice" if message.system else "attachment"
            pending.append(Aside(kind, message.text, message.line))
            continue
        on_line[message.line] += 1
        name = f"{path}:{message.line}"
        if on_line[message.line] > 1:  # several messages on one line of a JSON file
            name += f".{on_line[message.line]}"
        if message.id is not None:
            documents[message.chat, message.id] = name
        extra = {
            "chat": True,
            "sender": message.sender,
            "time": message.time,
            "conversation_source": f"{export}#{message.chat}" if message.chat else export,
            "reply_to": documents.get((message.chat, message.reply_to or "")),
            "thread": message.thread,
            "reactions": list(message.reactions),
            "notes": notes,
            "date_order": date_order,
        }
        notes, date_order = [], None
        always = ("chat", "sender", "time", "conversation_source")
        if last is not None:
            yield last
        last = Document(
            id=name,
            paragraphs=tuple(text for _, text in paragraphs),
            source=path,
            line=message.line,
            lines=tuple(message.line + before for before, _ in paragraphs)
            if message.verbatim
            else (),
            date=message.time[:10] if message.time and "-" in message.time else None,
            extra={name: value for name, value in extra.items() if value or name in always},
            aside=tuple(pending),
        )
        pending = []
    if last is not None:
        yield replace(last, aside=(*last.aside, *pending))


def _said(chat: Chat) -> bool:
    return any(m.text.strip() and not m.system and not m.media for m in chat.messages)


def _as_spoken(chat: Chat) -> Iterator[Message]:
    for message in chat.messages:
        yield replace(message, system=False, media=False)
