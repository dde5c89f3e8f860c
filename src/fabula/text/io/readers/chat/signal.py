"""Signal, as signal-export writes it: ``chat.md`` (or ``index.md``) and ``data.json``.

Signal itself exports no text; the forms are those of signal-export 3.9. A quotation at the head of
a message is a reply to the last message with that text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fabula.text.io.readers.chat.foreign_json import mappings, maybe_text, values
from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.timestamps import read_times
from fabula.text.io.records import Record

__all__ = ["is_row", "parse", "read_rows"]

# Older versions have a comma and no seconds; WhatsApp on iOS has both.
_HEADER = re.compile(
    r"\[(\d{4}-(?:0\d|1[0-2])-[0-3]\d)(?:,(?= \d\d:\d\d\]))? (\d\d:\d\d(?::\d\d)?)\] "
    r"(.{1,80}?):(?: (.*)|$)"
)
_REACTIONS = re.compile(r"^\(- (.*) -\)\s*$", re.MULTILINE)
_QUOTE = re.compile(r"\A\s*((?:^> ?.*\n?)+)\s*", re.MULTILINE)
_ATTACHMENTS = re.compile(
    r"(?:\s*(?:!?\[[^\]\n]*\]\([^)\n]*\)|\((?:media|attachment) not exported\)|\(\( .* \)\)))+\s*"
)
_CALL = re.compile(r"(?:incoming|outgoing|missed) (?:voice |video )?call\b.*", re.IGNORECASE)


def parse(lines: Sequence[str], path: str, date_order: str | None = None) -> Chat | None:
    """The messages of ``chat.md``; None where the first line is no header."""
    first = next((line for line in lines if line.strip()), "")
    if not _HEADER.fullmatch(first.rstrip()):
        return None
    started: list[tuple[int, re.Match[str], list[str]]] = []
    for number, line in enumerate(lines, 1):
        match = _HEADER.fullmatch(line.rstrip())
        if match:
            started.append((number, match, [match[4] or ""]))
        elif started:
            started[-1][2].append(line)
    messages = [
        _message(number, "\n".join(text), match[3], f"{match[1]}T{match[2]:0<5}")
        for number, match, text in started
    ]
    return Chat(_with_replies(messages))


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a message of ``data.json``."""
    return row.keys() >= {"date", "sender", "body", "quote", "reactions"}


def read_rows(records: Sequence[Record], path: str) -> Chat:
    """The messages of ``data.json``, an object each."""
    times = read_times([(r.line, r.data["date"]) for r in records], path=path)
    messages = []
    for record, time in zip(records, times.times, strict=True):
        row = record.data
        text = f"{maybe_text(row['quote']) or ''}{maybe_text(row['body']) or ''}"
        attachments = [str(a.get("name") or "attachment") for a in mappings(row.get("attachments"))]
        text += "".join(f"\n[{name}](media)" for name in attachments)
        sender = maybe_text(row["sender"]) or "No-Sender"
        message = _message(record.line, text, sender, time, verbatim=False)
        reactions = tuple(str(r[1]) for r in values(row["reactions"]) if len(values(r)) > 1)
        called = bool(row.get("call")) or message.system
        messages.append(replace(message, reactions=reactions, system=called))
    return Chat(_with_replies(messages))


def _message(line: int, text: str, sender: str, time: str | None, verbatim: bool = True) -> Message:
    reactions = tuple(
        emoji.strip()
        for listed in _REACTIONS.findall(text)
        for emoji in (reaction.rpartition(":")[2] for reaction in listed.split(", "))
    )
    text = _REACTIONS.sub("", text).rstrip()
    if (time or "").count(":") == 1:
        time = f"{time}:00"
    return Message(
        line, text, None if sender == "No-Sender" else sender, time, reactions=reactions,
        media=_ATTACHMENTS.fullmatch(text) is not None,
        system=_CALL.fullmatch(text.strip()) is not None,
        verbatim=verbatim,
    )  # fmt: skip


def _with_replies(messages: Sequence[Message]) -> list[Message]:
    """Quotations taken off, each message naming the earlier one it quotes."""
    last: dict[str, str] = {}
    replied = []
    for number, message in enumerate(messages):
        quote = _QUOTE.match(message.text)
        name = str(number)
        text, reply_to, line = message.text, None, message.line
        if quote and message.text[quote.end() :]:
            quoted = "\n".join(row.removeprefix(">").strip() for row in quote[1].splitlines())
            reply_to = last.get(quoted.strip())
            text = message.text[quote.end() :]
            if message.verbatim:
                line += message.text.count("\n", 0, quote.end())
            if reply_to is None:  # of a message that the export does not have: words of another's
                above = message.line + message.text.count("\n", 0, quote.start(1))
                replied.append(
                    Message(above if message.verbatim else line, quoted.strip(), None, message.time,
                            system=True, verbatim=message.verbatim)
                )  # fmt: skip
        replied.append(replace(message, text=text, id=name, reply_to=reply_to, line=line))
        last[text.strip()] = name
    return replied
