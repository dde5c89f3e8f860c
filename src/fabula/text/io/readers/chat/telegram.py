"""Telegram Desktop's export: ``result.json`` (one chat or all) and ``messages.html``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from fabula.text.io.readers.chat.foreign_json import count_of, mapping, mappings, maybe_text, values
from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.nested import Entry
from fabula.text.io.readers.chat.timestamps import read_times

__all__ = ["is_page", "is_row", "parse_page", "read_entries"]

_NAME = re.compile(r'"name"\s*:\s*"((?:[^"\\]|\\.)*)"')
_MESSAGE_ID = re.compile(r'<div[^>]*\bid="message(-?\d+)"')
_TITLE = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d:\d\d)")


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message of ``result.json``."""
    dated = "date" in row or "date_unixtime" in row
    return (
        row.get("type") in ("message", "service") and dated and ("text" in row or "action" in row)
    )


def read_entries(entries: list[Entry], path: str) -> Chat:
    """The messages of all chats in the file; a service message is a system line."""
    times = read_times(
        [(e.line, e.row.get("date") or e.row.get("date_unixtime")) for e in entries], path=path
    )
    several = len({entry.array for entry in entries}) > 1
    messages = []
    for entry, time in zip(entries, times.times, strict=True):
        row = entry.row
        service = row.get("type") == "service"
        names = _NAME.findall(entry.before)
        text = _flat(row.get("text"))
        media = not text and not service
        if media:
            text = f"<{_media(row)}>"
        messages.append(
            Message(
                entry.line,
                _service(row) if service else text,
                None if service else maybe_text(row.get("from") or row.get("from_id")),
                time,
                id=maybe_text(row.get("id")),
                reply_to=None
                if "reply_to_peer_id" in row  # a message of another chat
                else maybe_text(row.get("reply_to_message_id")),
                reactions=_reactions(row.get("reactions")),
                system=service,
                media=media,
                chat=(names[-1] if names else f"chat {entry.array + 1}") if several else None,
            )
        )
    return Chat(messages, times.notes)


def _flat(text: Any) -> str:
    """Text is a string, or a list of strings and of formatted pieces."""
    if isinstance(text, list):
        return "".join(str(p.get("text", "")) if isinstance(p, Mapping) else str(p) for p in text)
    return maybe_text(text) or ""


def _media(row: Mapping[str, Any]) -> str:
    """What a message without words holds: a poll with its answers, a place, a kind of file."""
    poll, person = mapping(row.get("poll")), mapping(row.get("contact_information"))
    if poll:
        answers = [f"{a.get('text')} ({a.get('voters')})" for a in mappings(poll.get("answers"))]
        return f"poll: {_flat(poll.get('question'))} {', '.join(answers)}".strip()
    if person:
        names = [maybe_text(person.get(part)) for part in ("first_name", "last_name")]
        return f"contact: {' '.join(name for name in names if name)}".strip()
    place = [maybe_text(row.get(name)) for name in ("place_name", "address")]
    if any(place) or "location_information" in row:
        return f"location: {', '.join(part for part in place if part)}".strip(" :")
    kind = row.get("media_type") or ("photo" if "photo" in row else "attachment")
    emoji = maybe_text(row.get("sticker_emoji"))
    return f"{kind} {emoji}" if emoji else str(kind)


def _service(row: Mapping[str, Any]) -> str:
    who = row.get("actor") or row.get("from") or ""
    what = str(row.get("action") or "").replace("_", " ")
    members = ", ".join(str(name) for name in values(row.get("members")) if name)
    more = row.get("title") or members or row.get("discard_reason") or _flat(row.get("text"))
    return f"{who} {what} {more}".strip() or "service message"


def _reactions(given: Any) -> tuple[str, ...]:
    return tuple(
        str(value.get("emoji") or value.get("type"))
        for value in mappings(given)
        for _ in range(count_of(value.get("count")))
    )


def is_page(head: str) -> bool:
    """Whether an HTML page is a Telegram export, by its first characters."""
    return 'class="page_wrap"' in head and ("from_name" in head or "message service" in head)


def parse_page(html: str) -> Chat:
    """The messages of ``messages.html``; one without a name is of the sender before it."""
    from selectolax.lexbor import LexborHTMLParser

    lines = _lines(html)
    messages: list[Message] = []
    sender: str | None = None
    for node in LexborHTMLParser(html).css("div.message"):
        classes = (node.attributes.get("class") or "").split()
        name = (node.attributes.get("id") or "").removeprefix("message")
        body = node.css_first("div.body")
        if body is None:
            continue
        line = lines.get(name, messages[-1].line if messages else 1)
        if "service" in classes:
            text = " ".join(body.text().split())
            messages.append(Message(line, text, None, None, id=name, system=True))
            continue
        named = next(
            (n for n in body.css("div.from_name") if n.parent and n.parent.mem_id == body.mem_id),
            None,
        )
        if named is not None:
            sender = " ".join(named.text().split()) or None
        messages.append(_page_message(body, name, line, sender))
    return Chat(messages)


def _page_message(body: Any, name: str, line: int, sender: str | None) -> Message:
    when = body.css_first("div.date")
    title = _TITLE.search((when.attributes.get("title") or "") if when else "")
    time = None
    if title:
        with suppress(ValueError):  # no such day: the message has no time
            time = datetime.fromisoformat(
                f"{title[3]}-{title[2]}-{title[1]}T{title[4]}"
            ).isoformat()
    said = body.css_first("div.text")
    media = body.css_first("div.media_wrap")
    text = "" if said is None else _block_text(said)
    if not text and media is not None:
        kind = media.css_first("div.media_poll") or media.css_first("div.title")
        text = f"<{' '.join(kind.text().split()) if kind else 'attachment'}>"
    reply = body.css_first("div.reply_to a")
    target = (reply.attributes.get("href") or "") if reply else ""
    emoji = body.css("span.reaction span.emoji")
    return Message(
        line, text, sender, time, id=name,
        reply_to=target.rpartition("go_to_message")[2] or None,
        reactions=tuple(n.text().strip() for n in emoji),
        media=said is None and media is not None,
    )  # fmt: skip


def _block_text(node: Any) -> str:
    for br in node.css("br"):
        br.replace_with("\n")
    return "\n".join(" ".join(part.split()) for part in node.text().strip().split("\n"))


def _lines(html: str) -> dict[str, int]:
    """The line on which each message's element begins."""

    def places() -> Iterator[tuple[str, int]]:
        line = counted = 0
        for match in _MESSAGE_ID.finditer(html):
            line += html.count("\n", counted, match.start())
            counted = match.start()
            yield match[1], line + 1

    return dict(places())
