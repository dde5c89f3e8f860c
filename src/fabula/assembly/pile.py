"""The pile: texts, files or chat exports in, sentences with source, sender and timestamp out.

A chat export is recognised by its form (``fabula.text.io.readers.chat``); everything else is read
as documents.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from fabula.core.html import counted
from fabula.errors import InputError
from fabula.text.io.dates import date_near
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
from fabula.text.segment.headings import (
    dated_headings,
    numbered_headings,
    plain_headings,
    timed_headings,
)
from fabula.text.segment.sentences import split_sentences
from fabula.types import Aside, Document, Sentence

if TYPE_CHECKING:
    from fabula.conversations.api import Turn

__all__ = ["Piece", "pieces_of", "read_pile", "sentence_id"]

_LIST_MARK = re.compile(r"[-*+•‣◦·]\s+(?=\S)")
_SHOWN_REASONS = 3  # files of a folder that holds nothing, named with why


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence of the pile, and what is known of the document it came in.

    ``document`` numbers the documents from 0; ``date`` is the document's date of publication,
    ``thread`` the mail or chat thread it stands in, ``headline`` its title. ``message`` numbers
    the chat message the sentence came in, ``chat`` names its export, ``turn`` says which
    conversation it is part of, what it answers and to whom it speaks. ``section`` is the
    heading it stands below, ``entry`` the day (ISO) of the entry of a diary or log,
    ``mailed`` when the mail it came in was sent (ISO, to the second).
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
    chat: str | None = None
    turn: Turn | None = None
    section: str | None = None
    entry: str | None = None
    mailed: str | None = None

    @property
    def conversation(self) -> int | None:
        """The number of the conversation the message is part of."""
        return None if self.turn is None else self.turn.conversation


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
    notes: list[str] | None = None,
) -> list[Piece]:
    """The sentences of the texts; a string is one text, named ``text 1``, ``text 2`` ...

    Pieces are returned unchanged, so that a split pile is not split again. What the documents'
    files hold besides (signatures, navigation ...) is added to ``aside`` with the file's name, and
    what the readers had to guess or replace to ``notes``.
    """
    if isinstance(texts, str | Document):
        texts = [texts]
    given: list[str | Document | Piece] = _with_years(list(texts))
    pieces: list[Piece] = []
    messages: dict[int, Document] = {}
    occurrences: Counter[str] = Counter()
    replaced: Counter[str] = Counter()
    for number, text in enumerate(given, 1):
        if isinstance(text, Piece):
            pieces.append(text)
            continue
        if isinstance(text, str):
            name = f"text {number}"
            text = Document(name, (text,), source=name, lines=(1,))
        if aside is not None:
            aside += [(text.source or text.id, part) for part in text.aside]
        source = text.source or text.id
        replaced[source] += int(text.extra.get("characters_replaced", 0))
        if notes is not None:
            notes += [f"{source}: {note}." for note in text.extra.get("notes", ())]
        chat = text.extra if text.extra.get("chat") else {}
        split = [_without_marker(sentence) for sentence in split_sentences(text)]
        sentences, sections, entries = _without_headings(split, text, aside)
        if len(pieces) + len(sentences) > MOST_SENTENCES:
            raise InputError(f"the pile has more than {MOST_SENTENCES:,} sentences; split it")
        for at, sentence in enumerate(sentences):
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
                    entries.get(at, text.date),
                    text.extra.get("thread"),
                    text.title,
                    str(chat.get("conversation_source", source)) if chat else None,
                    section=sections.get(at),
                    entry=entries.get(at),
                    mailed=None if chat else text.extra.get("sent"),
                )
            )
        if chat:
            messages[number] = text
    if notes is not None:
        notes += [
            f"{source}: {counted(count, 'character')} that no text can hold became U+FFFD."
            for source, count in replaced.items()
            if count
        ]
    return _with_turns(pieces, messages) if messages else pieces


def _without_marker(sentence: Sentence) -> Sentence:
    """A sentence without the mark of a list item before it."""
    match = _LIST_MARK.match(sentence.text)
    if match is None:
        return sentence
    return replace(sentence, text=sentence.text[match.end() :], start=sentence.start + match.end())


def _without_headings(
    sentences: list[Sentence], document: Document, aside: list[tuple[str, Aside]] | None
) -> tuple[list[Sentence], dict[int, str], dict[int, str]]:
    """The sentences without headings, the heading and the day that each stands below."""
    days = dated_headings(sentences, document.date)
    times = timed_headings(sentences)
    told = numbered_headings(sentences) or plain_headings(sentences)
    headings = {*told, *_marked_headings(sentences, document), *days, *times}
    kept, sections, entries = list[Sentence](), dict[int, str](), dict[int, str]()
    section = day = None
    for at, sentence in enumerate(sentences):
        if at in headings:
            day = days.get(at, day)
            section = section if at in days or at in times else sentence.text
            if aside is not None:
                source = sentence.source or sentence.document or ""
                kind = "date line" if at in days else "time line" if at in times else "heading"
                aside.append((source, Aside(kind, sentence.text, sentence.line)))
            continue
        if section is not None:
            sections[len(kept)] = section
        if day is not None:
            entries[len(kept)] = day
        kept.append(sentence)
    return kept, sections, entries


def _marked_headings(sentences: list[Sentence], document: Document) -> list[int]:
    """The indices of the sentences of paragraphs that the file marks as headings, if not of all."""
    marked = set(document.extra.get("headings", ()))
    headings = {at for at, text in enumerate(document.paragraphs) if text in marked}
    inside = [at for at, sentence in enumerate(sentences) if sentence.paragraph in headings]
    return inside if len(inside) < len(sentences) else []


def _with_years(texts: list[str | Document | Piece]) -> list[str | Document | Piece]:
    """The documents; a dateline without a year (``PARIS, 3 May -``) is of the others' time."""
    documents = [text for text in texts if isinstance(text, Document)]
    days = [d.date or str(d.extra.get("time") or "") for d in documents]
    known = [day[:10] for day in days if len(day) >= 10]
    if not known:
        return texts
    return [
        replace(text, date=date_near(text.extra["dateline_day"], known))
        if isinstance(text, Document) and not text.date and "dateline_day" in text.extra
        else text
        for text in texts
    ]


def _with_turns(pieces: list[Piece], messages: Mapping[int, Document]) -> list[Piece]:
    """The pieces with the turn of each chat message; ``answers`` counts as ``message`` does."""
    from fabula.conversations.api import thread_messages

    numbers = list(messages)
    turns = {
        number: replace(turn, answers=None if turn.answers is None else numbers[turn.answers])
        for number, turn in zip(numbers, thread_messages(list(messages.values())), strict=True)
    }
    return [
        piece if piece.message is None else replace(piece, turn=turns[piece.message])
        for piece in pieces
    ]


def read_pile(
    *sources: str | PathLike[str], skips: Skips | None = None, date_order: str | None = None
) -> Iterator[Document]:
    """The documents of files, folders, globs or standard input (``-``), chat exports included.

    A file of a folder or glob that cannot be read is skipped, logged and kept in ``skips`` with
    the reason (``skips.notes()`` says it for a person); a file that was named is an error. Mails
    that others quote and that are not there themselves come last. ``date_order`` says how chat
    exports write dates such as 3/4/21 (``dmy``, ``mdy``, ``ymd``, ``ydm``).
    """
    return with_quoted(_read_each(sources, Skips() if skips is None else skips, date_order))


def _read_each(
    sources: Sequence[str | PathLike[str]], skips: Skips, date_order: str | None
) -> Iterator[Document]:
    options = Options()
    for source in sources:
        if isinstance(source, str) and (source == "-" or source in corpora):
            yield from read_documents(source)
            continue
        name, empty = os.fspath(source), True
        for path, folder in files_of(name, readable_as(), skips):
            named = path == name
            lenient = replace(options, lenient=None if named else skips)
            documents = _documents(path, lenient, date_order)
            for document in guarded(documents, path, skips, named=named):
                empty = False
                yield replace(document, id=folder + document.id) if folder else document
        if empty:
            raise InputError("holds no document that can be read" + _why(skips, name), path=name)


def _why(skips: Skips, folder: str) -> str:
    """The first reasons for which files of a folder were skipped, in brackets."""
    reasons = [
        f"{Path(path).name}: {reason.rstrip('.')}"
        for path, reason in skips.first.items()
        if Path(folder) in Path(path).parents
    ]
    shown = reasons[:_SHOWN_REASONS]
    if len(reasons) > len(shown):
        shown.append(f"and {len(reasons) - len(shown)} more")
    return f" ({'; '.join(shown)})" if shown else ""


def _documents(path: str, options: Options, date_order: str | None) -> Iterator[Document]:
    messages = read_messages(path, date_order=date_order)
    yield from read_file(path, options) if messages is None else messages
