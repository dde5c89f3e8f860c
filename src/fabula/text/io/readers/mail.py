"""E-mail: one message, its subject as the title and its date as the date."""

from __future__ import annotations

import email
import email.errors
import email.header
import email.utils
from email.message import Message
from typing import Any

from fabula.text.io.documents import Options, one_document, paragraphs_of
from fabula.text.io.readers.html import blocks_of
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Document

__all__ = ["message_document", "read"]


@one_document
def read(path: str, options: Options) -> Document:
    """A file is one message."""
    return message_document(read_bytes(path), path, 1, options.name(path))


def message_document(data: bytes, path: str, line: int, name: str) -> Document:
    """The plain text of a message, else the text of its HTML; attachments are left out."""
    with foreign(path, "an e-mail"):
        message = email.message_from_bytes(data)
        extra = {"from": _header(message, "From"), "message_id": _header(message, "Message-ID")}
        return Document(
            id=name,
            paragraphs=tuple(_paragraphs(message)),
            title=_header(message, "Subject"),
            date=_date(message),
            source=path,
            line=line,
            extra={key: value for key, value in extra.items() if value},
        )


def _paragraphs(message: Message[Any, Any]) -> list[str]:
    plain, html = list[str](), list[str]()
    for part in message.walk():
        if part.is_multipart() or part.get_content_disposition() == "attachment":
            continue
        if part.get_content_type() == "text/plain":
            plain.extend(paragraph for _, paragraph in paragraphs_of(_text(part)))
        elif part.get_content_type() == "text/html":
            html.extend(blocks_of(_text(part)))
    return plain or html


def _text(part: Message[Any, Any]) -> str:
    """The text, whatever is wrong with its charset: mail lies about that too often to refuse."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        text = data.decode(part.get_content_charset() or "utf-8", "replace")
    except (LookupError, UnicodeError):
        text = data.decode("utf-8", "replace")
    return text.replace("\0", "")


def _header(message: Message[Any, Any], name: str) -> str | None:
    raw = message.get(name)
    if raw is None:
        return None
    try:
        text = str(email.header.make_header(email.header.decode_header(raw)))
    except (LookupError, ValueError, email.errors.HeaderParseError):
        text = str(raw)
    # A lone surrogate stands for a byte that is not ASCII in a header that should be.
    return " ".join(text.encode("utf-8", "replace").decode().split()) or None


def _date(message: Message[Any, Any]) -> str | None:
    try:
        return email.utils.parsedate_to_datetime(str(message.get("Date"))).date().isoformat()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
