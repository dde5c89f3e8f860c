"""``read_messages``: the messages of a chat export, whatever program wrote it."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from fabula.core.html import counted
from fabula.errors import InputError
from fabula.text.io.readers.chat import (
    discord,
    irc,
    items,
    nested,
    signal,
    slack,
    table,
    telegram,
    transcript,
    whatsapp,
    zoom,
)
from fabula.text.io.readers.chat.message import Chat, documents_of
from fabula.text.io.records import Record, read_records
from fabula.text.io.streams import iter_text, read_text, split_name
from fabula.types import Document
from fabula.wellformed import count_replaced, well_formed_value

__all__ = ["read_chat", "read_messages"]

_LOG = logging.getLogger("fabula.text.chat")
_TABLES = ("csv", "tsv", "jsonl", "ndjson", "json")
_TEXTS = ("txt", "text", "log", "weechatlog", "md", "")
_PAGES = ("html", "htm")
_FORMS = (signal, whatsapp, zoom, irc, transcript)  # the strictest first
_SAMPLE = 200  # lines by which a text is known
_PART = re.compile(r"\d{4}-\d\d-\d\d|messages\d*")  # names of a chat's files, a day or a page each


def read_messages(
    path: str | PathLike[str], *, date_order: str | None = None
) -> Iterator[Document] | None:
    """One document a message, in the order of the file; None where the file is no chat export.

    ``date_order`` (``dmy``, ``mdy``, ``ymd``) says how dates such as 3/4/21 are to be read; without
    it the export decides, and where it cannot, the first document's ``extra["notes"]`` and the
    log tell what was assumed.
    """
    chat = read_chat(path, date_order=date_order)
    return None if chat is None else documents_of(chat, fspath(path))


def read_chat(path: str | PathLike[str], *, date_order: str | None = None) -> Chat | None:
    """The messages and the notes of an export; None where the file is none."""
    name = fspath(path)
    suffix = split_name(name)[1].removeprefix(".")
    if suffix in _TABLES:
        chat = _nested(name) if suffix == "json" else None
        chat = chat or _rows(name, date_order)
    elif suffix in _TEXTS and name != "-":
        chat = _lines(name, suffix, date_order)
    elif suffix in _PAGES:
        chat = _page(name)
    else:
        return None
    if chat is None:
        return None
    chat = _well_formed(chat)
    if name != "-" and _PART.fullmatch(Path(name).name.partition(".")[0]):
        chat = chat._replace(folder=str(Path(name).parent))
    for note in chat.notes:
        _LOG.warning("%s: %s", name, note)
    return chat


def _well_formed(chat: Chat) -> Chat:
    """The chat without halves of surrogate pairs, which JSON can hold and text cannot."""
    replaced = 0
    messages = []
    for message in chat.messages:
        changed = {}
        for name in ("text", "sender", "id", "reply_to", "thread", "reactions", "chat"):
            value = getattr(message, name)
            if (whole := well_formed_value(value)) != value:
                changed[name] = whole
        if changed:
            replaced += count_replaced(message.text, changed.get("text", message.text))
        messages.append(replace(message, **changed) if changed else message)
    if not replaced:
        return chat._replace(messages=messages)
    note = f"{counted(replaced, 'character')} that no text can hold became U+FFFD"
    return chat._replace(messages=messages, notes=(*chat.notes, note))


def _rows(path: str, date_order: str | None) -> Chat | None:
    """A table or an array of objects, known by its first row."""
    try:
        first = next(iter(read_records(path)), None)
        if first is None:
            return None
        for form in (slack, signal, items):
            if form.is_row(first.data):
                chat: Chat = form.read_rows(list(read_records(path)), path)
                return chat
    except InputError:
        if path != "-" and split_name(path)[1] == ".json" and (chat_cut := _cut_array(path)):
            return chat_cut
        raise
    if table.is_row(first.data):
        return table.read_rows(list(read_records(path)), path, date_order)
    return None


def _nested(path: str) -> Chat | None:
    """An object with one or several arrays of messages: Telegram, Discord, a reply of Slack's."""
    head = next(iter_text(path), "")
    if not head.lstrip().startswith("{") or '"messages"' not in head:
        return None
    entries, cut = nested.messages_of(read_text(path))
    # The first messages may be of a kind that the program could not export.
    form = next((f for f in (discord, telegram) if any(f.is_row(e.row) for e in entries)), None)
    if form is not None:
        chat: Chat = form.read_entries([e for e in entries if form.is_row(e.row)], path)
    elif rows := [Record(e.line, e.row) for e in entries if slack.is_row(e.row)]:
        chat = slack.read_rows(rows, path)
    else:
        return None
    return _cut(chat) if cut else chat


def _cut_array(path: str) -> Chat | None:
    """An array of messages (Slack, Signal) that ends too early; None where it is none."""
    entries, cut = nested.messages_of(read_text(path))
    form = next((f for f in (slack, signal) if entries and f.is_row(entries[0].row)), None)
    if form is None or not cut:
        return None
    rows = [Record(entry.line, entry.row) for entry in entries if form.is_row(entry.row)]
    return _cut(form.read_rows(rows, path))


def _cut(chat: Chat) -> Chat:
    read = f"{len(chat.messages)} before it were read"
    note = f"the export ends in the middle of a message; {read}"
    return chat._replace(notes=(*chat.notes, note))


def _lines(path: str, suffix: str, date_order: str | None) -> Chat | None:
    """A text of lines, known by its first ones."""
    try:
        sample = _split(next(iter_text(path), ""))[:_SAMPLE]
        form = next((f for f in _FORMS if f.parse(sample, path, date_order)), None)
        # Notes and documentation are Markdown as well: of chats, only signal-export's is.
        if form is None or (suffix == "md" and form is not signal):
            return None
        chat: Chat | None = form.parse(_split(read_text(path)), path, date_order)
        return chat
    except InputError:
        return None  # a file that is no text is for the readers of documents to explain


def _split(text: str) -> list[str]:
    """Lines at the three line ends of text files; ``splitlines`` knows six more."""
    return [line.rstrip("\r\n") for line in io.StringIO(text, newline="")]


def _page(path: str) -> Chat | None:
    """An HTML page of Telegram's."""
    try:
        if not telegram.is_page(next(iter_text(path), "")):
            return None
        return telegram.parse_page(read_text(path))
    except InputError:
        return None
