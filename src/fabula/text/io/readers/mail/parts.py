"""The parts of a mail: its body as lines that know their place in the file, and what is attached.

Of alternatives the plain text is read, unless it is a stub beside the HTML.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from fabula.text.io.encodings import detect
from fabula.text.io.readers.html.blocks import Block, blocks_of, parse
from fabula.types import Aside

__all__ = ["Body", "Line", "read_parts"]

_log = logging.getLogger(__name__)

_QUOTE_CLASS = re.compile(
    r"gmail_quote|gmail_attr|yahoo_quoted|protonmail_quote|zmail_extra|moz-cite-prefix|"
    r"moz-forward-container|tutanota_quote|ik_mail_quote"
)
_QUOTE_ID = re.compile(r"(?:x_)*(?:divRplyFwdMsg|OLK_SRC_BODY_SECTION|isReplyContent|origbody)")
_SIGNATURE = re.compile(
    r"gmail_signature|moz-signature|(?:x_)*Signature|ms-outlook-mobile-signature|"
    r"protonmail_signature_block|AppleMailSignature|editorUserSignature"
)
_LINE_TAGS = ("div", "td", "th", "center", "body", "section", "o:p", "")
_STUB = 5  # times fewer words than the HTML has


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a mail's text. ``mark`` is what the HTML around it says it is, if anything."""

    text: str
    number: int
    mark: str = ""


@dataclass(slots=True)
class Body:
    """The lines of a mail, what is attached to it, and the mails inside it.

    ``placed`` says whether the lines' numbers are those of the file: base64 has none.
    """

    lines: list[Line] = field(default_factory=list)
    attachments: list[Aside] = field(default_factory=list)
    messages: list[tuple[int, Message[Any, Any]]] = field(default_factory=list)
    placed: bool = True


def read_parts(message: Message[Any, Any], raw: str, line: int) -> Body:
    """The body of a message whose source is ``raw`` and begins on ``line`` of the file."""
    plain, html, body = Body(), Body(), Body()
    position = 0
    for part, in_message in _walk(message):
        at = _find(part, raw, position)
        number = line + raw.count("\n", 0, at)
        position = at
        kind = part.get_content_type()
        if in_message:
            inner = part.get_payload(0)  # a mail forwarded as an attachment
            if isinstance(inner, Message):
                body.messages.append((number, inner))
        elif part.get_content_disposition() == "attachment" or kind not in _TEXTS:
            body.attachments.extend(_attachment(part, kind, number))
        elif kind == "text/html":
            _read(part, number, html, _html_lines)
        else:
            _read(part, number, plain, _plain_lines)
    chosen = html if _is_stub(plain, html) else plain
    body.lines, body.placed = chosen.lines, chosen.placed
    return body


_TEXTS = ("text/plain", "text/html")


def _walk(message: Message[Any, Any]) -> Iterator[tuple[Message[Any, Any], bool]]:
    """The parts that are no containers; a mail inside the mail is not entered."""
    pending = [message]
    while pending:
        part = pending.pop()
        payload = part.get_payload()
        if part.get_content_type() == "message/rfc822" and isinstance(payload, list) and payload:
            yield part, True
        elif part.is_multipart() and isinstance(payload, list):
            pending.extend(inner for inner in reversed(payload) if isinstance(inner, Message))
        else:
            yield part, False


def _find(part: Message[Any, Any], raw: str, position: int) -> int:
    """Where a part's content stands in the source at or behind ``position``, else that."""
    payload = part.get_payload()
    if not isinstance(payload, str):
        return position
    at = raw.find(payload, position)
    if at < 0:  # bytes that are not ASCII were replaced
        data = part.get_payload(decode=True)
        data = data if isinstance(data, bytes) else b""
        at = raw.find(data.decode("ascii", "surrogateescape"), position) if data else -1
    return at if at >= 0 else position


def _is_stub(plain: Body, html: Body) -> bool:
    words = [sum(len(line.text.split()) for line in body.lines) for body in (plain, html)]
    return words[0] * _STUB < words[1]


def _read(part: Message[Any, Any], number: int, body: Body, lines_of: Any) -> None:
    text = _text(part)
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    body.placed = body.placed and encoding != "base64"
    payload = part.get_payload()
    numbers = _numbers(str(payload), number, encoding == "quoted-printable")
    for text_line, index, mark in lines_of(text):
        place = numbers[min(index, len(numbers) - 1)] if body.placed else number
        body.lines.append(Line(text_line, place, mark))
    body.lines.append(Line("", number))


def _numbers(payload: str, number: int, soft_breaks: bool) -> list[int]:
    """The line of the file on which each line of the decoded text begins."""
    numbers, begins = [], True
    for offset, raw in enumerate(payload.split("\n")):
        if begins or not soft_breaks:
            numbers.append(number + offset)
        if soft_breaks:
            numbers.extend([number + offset] * len(re.findall("=0A", raw, re.IGNORECASE)))
            begins = not raw.rstrip("\r").endswith("=")
    return numbers


def _plain_lines(text: str) -> Iterator[tuple[str, int, str]]:
    for index, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        yield line.rstrip(), index, ""


def _html_lines(text: str) -> Iterator[tuple[str, int, str]]:
    state = _Marks()
    for block in blocks_of(parse(text), text, state.mark):
        apart = block.tag not in _LINE_TAGS
        mark = state.of(block)
        if apart:
            yield "", block.line - 1, mark
        for row, line in zip(block.text.split("\n"), block.lines, strict=True):
            yield row, line - 1, mark
        if apart:
            yield "", block.lines[-1] - 1, mark


class _Marks:
    """What the elements of mail programs say about the text in them."""

    def __init__(self) -> None:
        self.quoted_from_here = False  # Outlook marks only where a quote begins

    def mark(self, node: Any) -> str:
        attributes = node.attributes
        name, classes = attributes.get("id") or "", attributes.get("class") or ""
        if _QUOTE_ID.fullmatch(name):
            return "rest"
        if node.tag == "blockquote" or _QUOTE_CLASS.search(classes):
            return "quote"
        if _SIGNATURE.search(classes) or _SIGNATURE.fullmatch(name):
            return "signature"
        return ""

    def of(self, block: Block) -> str:
        self.quoted_from_here = self.quoted_from_here or "rest" in block.marks
        if self.quoted_from_here:
            return ""  # its headers are recognised by their form
        return "quote" if "quote" in block.marks else "".join(block.marks[:1])


def _text(part: Message[Any, Any]) -> str:
    """The text, whatever is wrong with its charset: mail lies about that too often to refuse."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    for charset in (part.get_content_charset() or "utf-8", detect(data)):
        try:
            return data.decode(charset).replace("\0", "")
        except (LookupError, UnicodeError):
            continue
    _log.info("a part of a mail is of no known encoding; what is not UTF-8 is replaced")
    return data.decode("utf-8", "replace").replace("\0", "")


def _attachment(part: Message[Any, Any], kind: str, number: int) -> Iterator[Aside]:
    """The name and kind of what is attached, and its text if it is text."""
    name = part.get_filename() or ""
    what = f"{name} ({kind})" if name else kind
    if kind.startswith("text/") and kind != "text/html":
        yield Aside("attachment", f"{what}\n{_text(part)}".strip(), number)
    elif part.get_payload():
        yield Aside("attachment", what, number)
