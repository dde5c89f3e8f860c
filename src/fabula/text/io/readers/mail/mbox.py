"""Mailboxes in the mbox format, one message at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabula.errors import InputError
from fabula.text.io.documents import Options
from fabula.text.io.limits import BoundedParts
from fabula.text.io.readers.mail.message import message_documents
from fabula.text.io.streams import LIMIT, iter_byte_lines
from fabula.types import Document

__all__ = ["read"]

_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read(path: str, options: Options) -> Iterator[Document]:
    """Messages without text (an attachment alone) are passed over."""
    for line, data in _messages(path, options):
        if not data.strip():  # parsing it takes 60 microseconds, and a file may hold millions
            options.pass_over("the message holds no text", path, line)
            continue
        try:
            name = f"{options.name(path)}:{line}"
            documents = message_documents(data, path, line, name, options)
        except InputError as error:
            options.skip(InputError(error.problem, path=path, line=line))
            continue
        yield from documents
        if not documents:
            options.pass_over("the message holds no text", path, line)


def _messages(path: str, options: Options) -> Iterator[tuple[int, bytes]]:
    """The line after each ``From `` line, and the message that begins there."""
    message, blank = BoundedParts[bytes]("message", path, options, LIMIT), True
    for number, line in iter_byte_lines(path, lenient=options.lenient):
        if blank and line.startswith(b"From "):
            if message.line and message.fits:
                yield message.line, _QUOTED.sub(rb"\1", b"".join(message.parts))
            message.begin(number + 1)
        elif message.line:
            message.add(line)
        elif line.strip():
            raise InputError("not an mbox: it must begin with 'From '", path=path, line=number)
        blank = not line.strip()
    if message.line and message.fits:
        yield message.line, _QUOTED.sub(rb"\1", b"".join(message.parts))
