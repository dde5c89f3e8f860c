"""Newswire in SGML: English Gigaword and its TREC and TDT relatives. It is not XML.

Bare ampersands are common, entities may be in capitals, and nothing has a root element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabula.errors import InputError
from fabula.text.io.documents import Options, paragraphs_of
from fabula.text.io.limits import BoundedParts
from fabula.text.io.readers.table import as_date
from fabula.text.io.streams import LIMIT, iter_lines
from fabula.types import Document

__all__ = ["read"]

_EDGE = re.compile(r"(<DOC(?:\s[^<>]*)?>|</DOC>)")
# From a word's start, and never back into it or its spaces: a tag of one long word is read once.
_ATTRIBUTE = re.compile(r"\b(\w++)\s*+=\s*+\"([^\"]*+)\"")
_DAY = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)(?!\d)")
_PARAGRAPH = re.compile(r"</?P>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|nbsp);", re.IGNORECASE)
_CHARACTER = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": " "}


def read(path: str, options: Options) -> Iterator[Document]:
    """Date from the id, category from the type; documents without text are passed over."""
    for line, tag, body in _bodies(path, options):
        document = _document(path, options, line, tag, body)
        if document.paragraphs:
            yield document
        else:
            options.pass_over("the document holds no text", path, line)


def _bodies(path: str, options: Options) -> Iterator[tuple[int, str, str]]:
    """Line, opening tag and content of each document."""
    document, tag = BoundedParts[str]("document", path, options, LIMIT), ""
    for number, text in iter_lines(path, encoding=options.encoding, lenient=options.lenient):
        for piece in _EDGE.split(text):
            if piece.startswith("<DOC") and _EDGE.fullmatch(piece):
                if document.line:
                    options.skip(_unclosed(path, document.line))
                document.begin(number)
                tag = piece
            elif piece == "</DOC>" and document.line:
                if document.fits:
                    yield document.line, tag, "".join(document.parts)
                document.end()
            elif document.line:
                document.add(piece)
        if document.line:
            document.add("\n")
    if document.line:
        options.skip(_unclosed(path, document.line))


def _unclosed(path: str, line: int) -> InputError:
    return InputError("this <DOC> is not closed by </DOC>; is the file cut?", path=path, line=line)


def _document(path: str, options: Options, line: int, tag: str, body: str) -> Document:
    attributes = {name.lower(): value for name, value in _ATTRIBUTE.findall(tag)}
    name = attributes.get("id") or _inner(body, "DOCNO") or f"{options.name(path)}:{line}"
    dateline = _inner(body, "DATELINE")
    start = body.find("<TEXT>")
    end = body.find("</TEXT>", start)
    paragraphs: list[tuple[int, str]] = []
    if start >= 0:
        piece_line = line + body.count("\n", 0, start)
        for piece in _PARAGRAPH.split(body[start + len("<TEXT>") : end if end >= 0 else None]):
            paragraphs.extend(
                (piece_line + before, _clean(text)) for before, text in paragraphs_of(piece)
            )
            piece_line += piece.count("\n")
    paragraphs = [(number, text) for number, text in paragraphs if text]
    return Document(
        id=name,
        paragraphs=tuple(text for _, text in paragraphs),
        title=_inner(body, "HEADLINE"),
        date=_date(name),
        category=attributes.get("type"),
        source=path,
        line=line,
        lines=tuple(number for number, _ in paragraphs),
        extra={"dateline": dateline} if dateline else {},
    )


def _inner(body: str, tag: str) -> str | None:
    """The text of the first such element, on one line."""
    start = body.find(f"<{tag}>")
    end = body.find(f"</{tag}>", start)
    if start < 0 or end < 0:
        return None
    return " ".join(_clean(body[start + len(tag) + 2 : end]).split()) or None


def _clean(text: str) -> str:
    text = _TAG.sub("", text)
    return _ENTITY.sub(lambda match: _CHARACTER[match[1].lower()], text).strip()


def _date(name: str) -> str | None:
    """The day in an id such as NYT_ENG_19940701.0001."""
    if not (day := _DAY.search(name)):
        return None
    try:
        return as_date("-".join(day.groups()))
    except ValueError:
        return None
