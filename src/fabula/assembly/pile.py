"""The pile: texts, files or chat exports in, sentences with source, sender and timestamp out.

A chat export is a table with a column of text and one of senders or times, recognised by their
usual names. Everything else is read as documents.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from fabula.text.io.documents import paragraphs_of, read_documents
from fabula.text.io.records import Record, read_records
from fabula.text.io.streams import split_name
from fabula.text.segment.sentences import split_sentences
from fabula.text.temporal.chat_timestamps import read_times
from fabula.types import Document, Sentence

__all__ = ["Piece", "pieces_of", "read_pile", "sentence_id"]

_TABLES = ("csv", "tsv", "jsonl", "ndjson", "json")
_TEXT = ("text", "message", "body", "content", "msg")
_SENDER = ("sender", "author", "from", "user", "username", "name", "handle")
_TIME = ("time", "timestamp", "datetime", "date_time", "sent", "sent_at", "created_at", "date")


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence of the pile. ``message`` numbers the chat message it came in."""

    sentence: Sentence
    id: str
    sender: str | None = None
    time: str | None = None
    message: int | None = None


def sentence_id(text: str, earlier: int = 0) -> str:
    """A sentence's id: a hash of its text; ``earlier`` counts earlier sentences of the same text.

    >>> sentence_id("It rained."), sentence_id("It rained.", 1)
    ('8b38b558e4', '8b38b558e4-2')
    """
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{name}-{earlier + 1}" if earlier else name


def pieces_of(texts: Iterable[str | Document] | Sequence[Piece]) -> list[Piece]:
    """The sentences of the texts; a string is one text, named ``text 1``, ``text 2`` ...

    Pieces are returned unchanged, so that a split pile is not split again.
    """
    if isinstance(texts, str | Document):
        texts = [texts]
    pieces: list[Piece] = []
    occurrences: Counter[str] = Counter()
    for number, text in enumerate(texts, 1):
        if isinstance(text, Piece):
            pieces.append(text)
            continue
        if isinstance(text, str):
            name = f"text {number}"
            text = Document(name, (text,), source=name, lines=(1,))
        chat = text.extra if text.extra.get("chat") else {}
        for sentence in split_sentences(text):
            earlier = occurrences[sentence.text]
            occurrences[sentence.text] += 1
            pieces.append(
                Piece(
                    sentence,
                    sentence_id(sentence.text, earlier),
                    chat.get("sender"),
                    chat.get("time"),
                    number if chat else None,
                )
            )
    return pieces


def read_pile(*sources: str | PathLike[str]) -> Iterator[Document]:
    """The documents of files, folders, globs or standard input (``-``), chat exports included."""
    from fabula.text.io.documents import corpora, readers
    from fabula.text.io.sources import files_of

    def readable(path: str) -> bool:
        suffix = split_name(path)[1].removeprefix(".")
        return not suffix or suffix in readers

    for source in sources:
        if isinstance(source, str) and (source == "-" or source in corpora):
            yield from read_documents(source)
            continue
        for path, folder in files_of(os.fspath(source), readable, None):
            if split_name(path)[1].removeprefix(".") in _TABLES and (
                columns := _chat_columns(path)
            ):
                yield from _messages(path, columns)
            else:
                for document in read_documents(path):
                    yield replace(document, id=folder + document.id) if folder else document


def _chat_columns(path: str) -> dict[str, str] | None:
    """The names of the text, sender and time columns; None unless the first row is a message."""
    first: Record | None = next(iter(read_records(path)), None)
    if first is None or "paragraphs" in first.data:
        return None
    by_name = {str(name).strip().lower().replace(" ", "_"): str(name) for name in first.data}

    def pick(names: Iterable[str]) -> str | None:
        return next((by_name[name] for name in names if name in by_name), None)

    text, sender, time = pick(_TEXT), pick(_SENDER), pick(_TIME)
    titled = "title" in by_name or "id" in by_name
    # A document has a title or an id and perhaps a date; a message has a sender or a time of day.
    if text is None or (sender is None and (time is None or (titled and time == "date"))):
        return None
    columns = {"text": text, "sender": sender, "time": time}
    return {field: name for field, name in columns.items() if name is not None}


def _messages(path: str, columns: Mapping[str, str]) -> Iterator[Document]:
    records = list(read_records(path))
    times = read_times(
        [(r.line, r.data.get(columns["time"]) if "time" in columns else None) for r in records],
        path=path,
    )
    for record, time in zip(records, times, strict=True):
        text = _cell(record.data.get(columns["text"]))
        paragraphs = tuple(part for _, part in paragraphs_of(text))
        if not paragraphs:
            continue  # a picture, a sticker, a deleted message
        sender = _cell(record.data.get(columns.get("sender", ""))) or None
        yield Document(
            id=f"{path}:{record.line}",
            paragraphs=paragraphs,
            source=path,
            line=record.line,
            date=time[:10] if time and "-" in time else None,
            extra={"chat": True, "sender": sender, "time": time},
        )


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()
