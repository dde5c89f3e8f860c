"""Chat exports to items: a file of messages is one chat, as long as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike, fspath

from fabula.conversations.items import Conversation, Message
from fabula.errors import InputError
from fabula.text.io.readers.chat.export import read_messages
from fabula.text.io.sources import files_of
from fabula.text.io.streams import split_name
from fabula.types import Document

__all__ = ["build_conversations", "messages_of"]


def build_conversations(
    sources: Iterable[str | PathLike[str]],
    *,
    n: int | None = None,
    date_order: str | None = None,
) -> Iterator[Conversation]:
    """A chat an export, at most ``n``; a named file that is no chat export is an error.

    Replies and threads that the export tells are kept with the messages. Conversations are not in
    any export, so the chats have no labels: they can be threaded, and labelled by hand.
    ``date_order`` is that of ``read_messages``.
    """
    built = 0
    for source in sources:
        for path, folder in files_of(fspath(source), lambda name: True, None):
            if n is not None and built >= n:
                return
            documents = read_messages(path, date_order=date_order)
            if documents is None:
                if path != fspath(source):
                    continue  # a folder holds other files as well
                raise InputError("is no chat export that is known", path=path)
            yield Conversation(folder + split_name(path)[0], tuple(messages_of(documents)))
            built += 1


def messages_of(documents: Iterable[Document]) -> list[Message]:
    """The messages behind the documents of ``read_messages``, named by the documents' ids."""
    return [
        Message(
            line=document.line,
            text=document.text,
            sender=document.extra.get("sender"),
            time=document.extra.get("time"),
            id=document.id,
            reply_to=document.extra.get("reply_to"),
            thread=document.extra.get("thread"),
            reactions=tuple(document.extra.get("reactions", ())),
            system=bool(document.extra.get("system")),
            media=bool(document.extra.get("media")),
        )
        for document in documents
    ]
