"""A chat message as its export tells it, and the document it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabula.text.io.documents import paragraphs_of
from fabula.types import Document

__all__ = ["Message", "documents_of"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``time`` is ISO 8601, or a clock time alone where the export has no days.

    ``id`` is the export's own name of the message; ``reply_to`` is the id of the message it
    answers and ``thread`` that of the thread it stands in, where the export tells. ``system``
    marks what the program wrote (joined, left, renamed), ``media`` a message that is nothing but
    an attachment.
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


def documents_of(
    messages: Iterable[Message], path: str, notes: tuple[str, ...] = ()
) -> Iterator[Document]:
    """A document a message: ``extra`` has chat, sender, time, conversation_source and what else
    the export tells; ``reply_to`` names the answered message's document.

    ``notes`` say how the export was understood where it is ambiguous; the first document has them.
    """
    documents: dict[str, str] = {}
    for message in messages:
        paragraphs = tuple(part for _, part in paragraphs_of(message.text))
        if not paragraphs:
            continue  # a picture, a sticker, a deleted message
        name = f"{path}:{message.line}"
        if message.id is not None:
            documents[message.id] = name
        extra = {
            "chat": True,
            "sender": message.sender,
            "time": message.time,
            "conversation_source": path,
            "reply_to": documents.get(message.reply_to or ""),
            "thread": message.thread,
            "reactions": list(message.reactions),
            "system": message.system,
            "media": message.media,
            "notes": list(notes),
        }
        notes = ()
        always = ("chat", "sender", "time", "conversation_source")
        yield Document(
            id=name,
            paragraphs=paragraphs,
            source=path,
            line=message.line,
            date=message.time[:10] if message.time and "-" in message.time else None,
            extra={name: value for name, value in extra.items() if value or name in always},
        )
