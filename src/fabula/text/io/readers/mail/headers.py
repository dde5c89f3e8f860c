"""The headers of a mail as text: names and addresses, dates, ids of other mails."""

from __future__ import annotations

import email.errors
import email.header
import email.utils
import logging
import re
from email.message import Message
from typing import Any

from fabula.text.io.readers.mail.threads import Threads

__all__ = ["header", "metadata", "sent"]

_log = logging.getLogger("fabula.text.io")
_LONGEST = 64 << 10  # characters; the standard library decodes in quadratic time
_ID = re.compile(r"<[^<>\s]+>")


def header(message: Message[Any, Any], name: str) -> str | None:
    """A header decoded and on one line; what cannot be decoded stays as it is."""
    values = message.get_all(name)
    if not values:
        return None
    text = ", ".join(_decoded(str(value)) for value in values)
    # A lone surrogate stands for a byte that is not ASCII in a header that should be.
    return " ".join(text.encode("utf-8", "replace").decode().split()) or None


def _decoded(raw: str) -> str:
    if len(raw) > _LONGEST:
        _log.warning("a header of %d characters is not decoded", len(raw))
        return raw
    try:
        return str(email.header.make_header(email.header.decode_header(raw)))
    except (LookupError, ValueError, email.errors.HeaderParseError) as error:
        _log.info("a header is not decoded: %s", error)
        return raw


def sent(message: Message[Any, Any]) -> str | None:
    """When a message was sent, as ISO 8601 in the sender's own time zone."""
    try:
        return email.utils.parsedate_to_datetime(str(message.get("Date"))).isoformat()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def metadata(message: Message[Any, Any], threads: Threads) -> dict[str, Any]:
    """``extra`` of a mail: from, to, cc, subject, ids, thread and when it was sent."""
    subject = header(message, "Subject") or ""
    message_id = _first_id(header(message, "Message-ID"))
    in_reply_to = _first_id(header(message, "In-Reply-To"))
    references = _ID.findall(header(message, "References") or "")
    return {
        "from": header(message, "From"),
        "to": header(message, "To"),
        "cc": header(message, "Cc"),
        "subject": subject,
        "message_id": message_id,
        "in_reply_to": in_reply_to,
        "references": references,
        "thread": threads.of(message_id, references, in_reply_to, subject),
        "sent": sent(message),
    }


def _first_id(value: str | None) -> str:
    found = _ID.search(value or "")
    return found[0] if found else (value or "").strip()
