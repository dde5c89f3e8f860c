"""Chat exports to items: a file of messages is one chat, as long as it is."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from os import PathLike, fspath
from pathlib import Path

from fabula.conversations.clock import sent_order
from fabula.conversations.items import Conversation, Message
from fabula.errors import InputError
from fabula.text.io.readers.chat.export import read_chat
from fabula.text.io.sources import files_of
from fabula.text.io.streams import split_name
from fabula.types import Document

__all__ = ["build_conversations", "messages_of"]

_LOG = logging.getLogger("fabula.conversations")


def build_conversations(
    sources: Iterable[str | PathLike[str]],
    *,
    n: int | None = None,
    date_order: str | None = None,
) -> Iterator[Conversation]:
    """A chat an export, or several of an account, at most ``n`` in all, in the order sent.

    A folder with a file for each day of a chat is one export. A file that is named and is no chat
    export is an error; one of a folder is passed over, logged where it is damaged.

    Replies and threads that the export tells are kept with the messages. Conversations are not in
    any export, so the chats have no labels: they can be threaded, and labelled by hand.
    ``date_order`` is that of ``read_messages``.
    """
    chats = groupby(_parts(sources, date_order), key=itemgetter(0))
    for name, parts in islice(chats, n):
        messages = [message for _, listed in parts for message in listed]
        order = sent_order([message.time for message in messages])
        yield Conversation(name, tuple(messages[i] for i in order))


def _parts(
    sources: Iterable[str | PathLike[str]], date_order: str | None
) -> Iterator[tuple[str, list[Message]]]:
    """The messages of each chat of each file, with the name of the chat."""
    for source in sources:
        for path, folder in files_of(fspath(source), lambda name: True, None):
            named = path == fspath(source)
            try:
                export = read_chat(path, date_order=date_order)
            except InputError as error:
                if named:
                    raise
                _LOG.warning("passed over: %s", error)
                continue
            if export is None:
                if not named:
                    continue  # a folder holds other files as well
                raise InputError("is no chat export that is known", path=path)
            name = folder + split_name(path)[0]
            if export.folder is not None:
                name = folder.rstrip("/") or Path(path).absolute().parent.name
            chats: dict[str | None, list[Message]] = {}
            for message in export.messages:
                chats.setdefault(message.chat, []).append(message)
            for chat, listed in chats.items():
                yield f"{name}#{chat}" if chat else name, listed


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
