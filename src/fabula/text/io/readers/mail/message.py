"""One e-mail as a document: its headers as metadata, its sender's own words as paragraphs.

Quoted mails, signatures, greetings and attachments are set aside; a forwarded mail is a document
of its own, since it is what the mail was sent for.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator, Sequence
from email.message import Message
from itertools import groupby
from typing import Any

from fabula.errors import InputError
from fabula.text.io.documents import Options, whole_or_skipped
from fabula.text.io.limits import MOST_PARTS
from fabula.text.io.readers.mail.headers import metadata
from fabula.text.io.readers.mail.parts import Line, read_parts
from fabula.text.io.readers.mail.quotes import Piece, as_forward, pieces_of
from fabula.text.io.readers.mail.signatures import kinds_of
from fabula.text.io.readers.mail.threads import Threads
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Aside, Document

__all__ = ["message_documents", "quoted_documents", "read", "read_emlx"]

_COVER_NOTE = re.compile(
    r"(?:fyi|for (?:your )?(?:info(?:rmation)?|reference|the (?:files?|records?))|"
    r"(?:please |pls )?see (?:below|attached|the (?:mail|message|note)|this)|as below|"
    r"(?:passing|forwarding|sharing|sending) (?:this|these|it|on)|"
    r"(?:any )?(?:thoughts|comments|ideas)|as (?:discussed|promised|requested)|"
    r"this (?:just )?(?:came in|arrived)|below|attached)\b[^.!?\d]{0,40}[.!?…]*",
    re.IGNORECASE,
)
_DEEPEST = 20  # mails inside mails
_MOST = 50  # mails quoted in one that says nothing itself


def read(path: str, options: Options) -> Iterator[Document]:
    """A file is one message."""
    yield from _checked(read_bytes(path), path, options)


def read_emlx(path: str, options: Options) -> Iterator[Document]:
    """Apple Mail's own files: the length of the message in bytes, the message, a property list."""
    data = read_bytes(path)
    length, _, rest = data.partition(b"\n")
    if not length.strip().isdigit():
        options.skip(InputError("not an .emlx: the first line must be a number", path=path, line=1))
        return
    yield from _checked(rest[: int(length)], path, options, line=2)


def _checked(data: bytes, path: str, options: Options, line: int = 1) -> Iterator[Document]:
    found = message_documents(data, path, line, options.name(path), options)
    return whole_or_skipped(path, options, found)


def message_documents(
    data: bytes, path: str, line: int, name: str, options: Options
) -> list[Document]:
    """The document of a message that begins on ``line``, then those of the mails it forwards.

    A message without words of its sender's own has no document, and what it forwards has.
    """
    # A line that begins with "--" may divide parts; a million of them keep the parser for minutes.
    if data.count(b"\n--") > MOST_PARTS and b"boundary" in data.lower():
        raise InputError(f"is an e-mail of more than {MOST_PARTS:,} parts", path=path, line=line)
    with foreign(path, "an e-mail"):
        message = email.message_from_bytes(data)
        raw = data.decode("ascii", "surrogateescape")
        return list(_documents(message, raw, path, line, name, options, 0))


def _documents(
    message: Message[Any, Any],
    raw: str,
    path: str,
    line: int,
    name: str,
    options: Options,
    depth: int,
) -> Iterator[Document]:
    extra = metadata(message, options.state.setdefault("threads", Threads()))
    body = read_parts(message, raw, line)
    about = _About(path, line, name, extra, body.placed)
    yield from about.documents(body.lines, body.attachments)
    for number, (begins, inner) in enumerate(body.messages, 1):
        if depth < _DEEPEST:
            inner_name = f"{name}/attached-{number}"
            inner_raw = raw[_offset(raw, begins - line) :]
            yield from _documents(inner, inner_raw, path, begins, inner_name, options, depth + 1)


def quoted_documents(document: Document) -> Iterator[Document]:
    """The mails that a mail quotes, each as a document with its own quotes aside."""
    told = {quote["line"]: quote for quote in document.extra.get("quotes", ())}
    quotes = [aside for aside in document.aside if aside.kind == "quote"]
    for number, aside in enumerate(quotes, 1):
        rows = aside.text.split("\n")
        lines = [Line(row, aside.line + offset) for offset, row in enumerate(rows)]
        headers = {k: v for k, v in told.get(aside.line, {}).items() if k != "line"}
        piece = as_forward(Piece("quote", lines, headers))
        name, placed = f"{document.id}/quoted-{number}", bool(document.lines)
        about = _About(
            document.source or "", document.line, document.id, dict(document.extra), placed
        )
        quoted = about.inner(piece, name, "quoted_by")
        yield from quoted.documents(piece.lines, list(_asides("header", piece.top)))


def _offset(text: str, lines: int) -> int:
    at = 0
    for _ in range(lines):
        at = text.find("\n", at) + 1
        if not at:
            return 0
    return at


class _About:
    """What the documents of one message have in common."""

    def __init__(
        self, path: str, line: int, name: str, extra: dict[str, Any], placed: bool
    ) -> None:
        self.path, self.line, self.name, self.extra, self.placed = path, line, name, extra, placed

    def documents(
        self, lines: Sequence[Line], attachments: Sequence[Aside] = (), depth: int = 0
    ) -> Iterator[Document]:
        pieces = pieces_of(lines, str(self.extra.get("subject") or ""))
        paragraphs, asides = self._own(pieces)
        quotes = [
            {**piece.headers, "line": piece.lines[0].number}
            for piece in pieces
            if piece.kind == "quote" and piece.lines
        ]
        if any(piece.kind == "forward" for piece in pieces) and _is_cover_note(paragraphs):
            asides += [Aside("cover note", text, number) for number, text in paragraphs]
            paragraphs = []
        left_over = [*asides, *attachments]
        if paragraphs:
            yield self._document(paragraphs, left_over, quotes)
            left_over = []
        forwards = [piece for piece in pieces if piece.kind == "forward"]
        if not paragraphs and not forwards:  # nothing was added to what is quoted
            forwards = [as_forward(piece) for piece in pieces if piece.kind == "quote"]
            left_over = [aside for aside in left_over if aside.kind != "quote"]
        for number, piece in enumerate(forwards[: _MOST if depth < _DEEPEST else 0], 1):
            about = self.inner(piece, f"{self.name}/forwarded-{number}", "forwarded_by")
            top = list(_asides("header", piece.top))
            yield from about.documents(piece.lines, [*left_over, *top], depth + 1)
            left_over = []

    def inner(self, piece: Piece, name: str, role: str) -> _About:
        """What is known of a mail inside this one; ``role`` names this one's sender there."""
        headers: dict[str, Any] = {"subject": self.extra.get("subject"), **piece.headers}
        headers["sent"] = headers.pop("date", None)
        shared = {"thread": self.extra.get("thread"), role: self.extra.get("from")}
        begins = next((line.number for line in piece.lines if line.text.strip()), self.line)
        return _About(self.path, begins, name, {**headers, **shared}, self.placed)

    def _own(self, pieces: Sequence[Piece]) -> tuple[list[tuple[int, str]], list[Aside]]:
        paragraphs: list[tuple[int, str]] = []
        asides: list[Aside] = []
        first = True
        for piece in pieces:
            if piece.kind == "forward":
                continue
            if piece.kind == "quote":
                asides.extend(_asides("quote", piece.lines))
                continue
            kinds = kinds_of(piece.lines, str(self.extra.get("from") or ""), first)
            first = first and not any(line.text.strip() for line in piece.lines)
            marked = list(zip(kinds, piece.lines, strict=True))
            for kind, group in groupby(marked, key=lambda pair: pair[0]):
                lines = [line for _, line in group]
                if kind:
                    asides.extend(_asides(kind, lines))
                else:
                    paragraphs.extend(_paragraphs(lines, self.placed))
        return paragraphs, asides

    def _document(
        self,
        paragraphs: list[tuple[int, str]],
        asides: Sequence[Aside],
        quotes: list[dict[str, Any]],
    ) -> Document:
        sent = self.extra.get("sent")
        extra = {**self.extra, "quotes": quotes, "date_from": "header" if sent else None}
        return Document(
            id=self.name,
            paragraphs=tuple(text for _, text in paragraphs),
            title=self.extra.get("subject") or None,
            date=str(sent)[:10] if sent else None,
            source=self.path,
            line=self.line,
            lines=tuple(number for number, _ in paragraphs) if self.placed else (),
            extra={key: value for key, value in extra.items() if value},
            aside=tuple(asides),
        )


def _is_cover_note(paragraphs: Sequence[tuple[int, str]]) -> bool:
    """Whether what stands above a forwarded mail says no more than that it is forwarded."""
    return all(_COVER_NOTE.fullmatch(" ".join(text.split())) for _, text in paragraphs)


def _asides(kind: str, lines: Sequence[Line]) -> Iterator[Aside]:
    text = "\n".join(line.text for line in lines).strip()
    if text:
        yield Aside(kind, text, next(line.number for line in lines if line.text.strip()))


def _paragraphs(lines: Sequence[Line], placed: bool) -> Iterator[tuple[int, str]]:
    """Paragraphs end at blank lines, and where two lines stand on one line of the file (HTML)."""
    paragraph: list[Line] = []
    for line in [*lines, Line("", 0)]:
        ends = not line.text.strip() or (
            placed and paragraph and line.number == paragraph[-1].number
        )
        if ends and paragraph:
            text = "\n".join(re.sub(r"\s+$", "", part.text) for part in paragraph)
            yield paragraph[0].number, text.strip().lstrip("\ufeff")
            paragraph = []
        if line.text.strip():
            paragraph.append(line)
