"""The pile: texts, files or chat exports in, sentences with source, sender and timestamp out.

A chat export is recognised by its form (``fabula.text.io.readers.chat``); everything else is read
as documents.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

from fabula.errors import InputError
from fabula.text.io.documents import (
    Options,
    corpora,
    guarded,
    read_documents,
    read_file,
    readable_as,
)
from fabula.text.io.limits import MOST_SENTENCES
from fabula.text.io.readers.chat.export import read_messages
from fabula.text.io.readers.mail.quoted import with_quoted
from fabula.text.io.sources import files_of
from fabula.text.io.streams import Skips
from fabula.text.segment.sentences import split_sentences
from fabula.types import Aside, Document, Sentence

__all__ = ["Piece", "pieces_of", "read_pile", "sentence_id"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence of the pile, and what is known of the document it came in.

    ``document`` numbers the documents from 0; ``date`` is the document's date of publication,
    ``thread`` the mail or chat thread it stands in, ``headline`` its title. ``message`` numbers
    the chat message the sentence came in, ``conversation`` the conversation it is part of.
    """

    sentence: Sentence
    id: str
    sender: str | None = None
    time: str | None = None
    message: int | None = None
    document: int = 0
    date: str | None = None
    thread: str | None = None
    headline: str | None = None
    conversation: int | None = None


def sentence_id(text: str, earlier: int = 0) -> str:
    """A sentence's id: a hash of its text; ``earlier`` counts earlier sentences of the same text.

    >>> sentence_id("It rained."), sentence_id("It rained.", 1)
    ('8b38b558e4', '8b38b558e4-2')
    """
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{name}-{earlier + 1}" if earlier else name


def pieces_of(
    texts: Iterable[str | Document] | Sequence[Piece],
    aside: list[tuple[str, Aside]] | None = None,
) -> list[Piece]:
    """The sentences of the texts; a string is one text, named ``text 1``, ``text 2`` ...

    Pieces are returned unchanged, so that a split pile is not split again. What the documents'
    files hold besides (signatures, navigation ...) is added to ``aside`` with the file's name.
    """
    if isinstance(texts, str | Document):
        texts = [texts]
    pieces: list[Piece] = []
    messages: dict[int, Document] = {}
    occurrences: Counter[str] = Counter()
    for number, text in enumerate(texts, 1):
        if isinstance(text, Piece):
            pieces.append(text)
            continue
        if isinstance(text, str):
            name = f"text {number}"
            text = Document(name, (text,), source=name, lines=(1,))
        if aside is not None:
            aside += [(text.source or text.id, part) for part in text.aside]
        chat = text.extra if text.extra.get("chat") else {}
        sentences = split_sentences(text)
        if len(pieces) + len(sentences) > MOST_SENTENCES:
            raise InputError(f"the pile has more than {MOST_SENTENCES:,} sentences; split it")
        for sentence in sentences:
            earlier = occurrences[sentence.text]
            occurrences[sentence.text] += 1
            pieces.append(
                Piece(
                    sentence,
                    sentence_id(sentence.text, earlier),
                    chat.get("sender"),
                    chat.get("time"),
                    number if chat else None,
                    number - 1,
                    text.date,
                    text.extra.get("thread"),
                    text.title,
                )
            )
        if chat:
            messages[number] = text
    return _with_conversations(pieces, messages) if messages else pieces


def _with_conversations(pieces: list[Piece], messages: Mapping[int, Document]) -> list[Piece]:
    """The pieces with the conversation of each chat message: which message answers which."""
    from fabula.conversations.api import thread_messages

    labels = thread_messages(list(messages.values()))
    conversation = dict(zip(messages, labels, strict=True))
    return [
        piece if piece.message is None else replace(piece, conversation=conversation[piece.message])
        for piece in pieces
    ]


def read_pile(*sources: str | PathLike[str], skips: Skips | None = None) -> Iterator[Document]:
    """The documents of files, folders, globs or standard input (``-``), chat exports included.

    A file of a folder or glob that cannot be read is skipped, logged and kept in ``skips`` with
    the reason (``skips.notes()`` says it for a person); a file that was named is an error. Mails
    that others quote and that are not there themselves come last.
    """
    return with_quoted(_read_each(sources, Skips() if skips is None else skips))


def _read_each(sources: Sequence[str | PathLike[str]], skips: Skips) -> Iterator[Document]:
    options = Options()
    for source in sources:
        if isinstance(source, str) and (source == "-" or source in corpora):
            yield from read_documents(source)
            continue
        name, empty = os.fspath(source), True
        for path, folder in files_of(name, readable_as(), skips):
            named = path == name
            documents = _documents(path, replace(options, lenient=None if named else skips))
            for document in guarded(documents, path, skips, named=named):
                empty = False
                yield replace(document, id=folder + document.id) if folder else document
        if empty:
            raise InputError("holds no document that can be read", path=name)


def _documents(path: str, options: Options) -> Iterator[Document]:
    messages = read_messages(path)
    yield from read_file(path, options) if messages is None else messages
