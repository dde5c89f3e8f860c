"""Chat exports to items: a file of messages is one chat, as long as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike, fspath

from fabula.conversations.clock import sent_order
from fabula.conversations.items import Conversation, Message
from fabula.errors import InputError
from fabula.text.io.readers.chat.export import read_chat
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
    """A chat an export, or several of an account, at most ``n`` in all, in the order sent.

    A file that is named and is no chat export is an error.

    Replies and threads that the export tells are kept with the messages. Conversations are not in
    any export, so the chats have no labels: they can be threaded, and labelled by hand.
    ``date_order`` is that of ``read_messages``.
    """
    built = 0
    for source in sources:
        for path, folder in files_of(fspath(source), lambda name: True, None):
            if n is not None and built >= n:
                return
            export = read_chat(path, date_order=date_order)
            if export is None:
                if path != fspath(source):
                    continue  # a folder holds other files as well
                raise InputError("is no chat export that is known", path=path)
            name = folder + split_name(path)[0]
            chats: dict[str | None, list[Message]] = {}
            for message in export.messages:
                chats.setdefault(message.chat, []).append(message)
            for chat, listed in list(chats.items())[: None if n is None else n - built]:
                order = sent_order([message.time for message in listed])
                messages = tuple(listed[i] for i in order)
                yield Conversation(f"{name}#{chat}" if chat else name, messages)
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
        )
        for document in documents
    ]
