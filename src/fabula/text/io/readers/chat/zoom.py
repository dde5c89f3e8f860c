"""The saved chat of a Zoom meeting: ``10:01:12 From Ann to Everyone:`` and the words below it.

Older versions write the words behind the colon, and that of a recording has no ``From``. Replies
and reactions are messages that quote what they are to, cut short.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fabula.text.io.readers.chat.message import Chat, Message

__all__ = ["parse"]

_HEADER = re.compile(
    r"(\d\d:\d\d:\d\d)\s{1,3}From\s{1,3}(\S.{0,80}?)(?:\s{1,3}[Tt]o\s{1,3}\S.{0,80}?)?\s{0,3}:(?:\s(.*)|$)"
    r"|(\d\d:\d\d:\d\d)\t([^\t:]{1,80}):\t(.*)"
)
_REPLY = re.compile(r'Replying to "(.*?)(?:\.\.\.|…)?"\n\s*\n(.*)', re.DOTALL)
_REACTION = re.compile(r'(?:Reacted to "(.*?)(?:\.\.\.|…)?" with (\S+)|Removed a \S+ reaction .*)',
                       re.DOTALL)  # fmt: skip

_QUOTED_WITHIN = 200  # messages before a reply


def parse(lines: Sequence[str], path: str, date_order: str | None = None) -> Chat | None:
    """The messages of a saved meeting; None where the first line is no header."""
    first = next((line for line in lines if line.strip()), "")
    if not _HEADER.fullmatch(first):
        return None
    started: list[tuple[int, str, str, list[str]]] = []
    for number, line in enumerate(lines, 1):
        if match := _HEADER.fullmatch(line):
            time, sender, said = match.groups()[:3] if match[1] else match.groups()[3:]
            started.append((number, time, sender, [said or ""]))
        elif started:
            started[-1][3].append(line.removeprefix("\t"))
    messages: list[Message] = []
    for number, time, sender, said in started:
        if not said[0]:
            number, said = number + 1, said[1:]
        _add(messages, Message(number, "\n".join(said).rstrip(), sender, time, verbatim=True))
    return Chat(messages)


def _add(messages: list[Message], message: Message) -> None:
    """Add a message; a reply names what it answers, a reaction goes to what it is to."""
    said = message.text.strip()
    reaction, reply = _REACTION.fullmatch(said), _REPLY.fullmatch(said)
    to = _quoted(messages, reaction[1] if reaction else reply[1] if reply else None)
    name = str(len(messages))
    if reaction and to is not None:
        messages[to] = replace(messages[to], reactions=(*messages[to].reactions, reaction[2]))
    elif reaction:
        messages.append(replace(message, id=name, system=True))
    elif reply and to is not None:
        above = message.text.count("\n", 0, message.text.index(said) + reply.start(2))
        reply_to = messages[to].id
        answer = replace(message, text=reply[2], line=message.line + above, reply_to=reply_to)
        messages.append(replace(answer, id=name))
    else:
        messages.append(replace(message, id=name))


def _quoted(messages: Sequence[Message], beginning: str | None) -> int | None:
    """The last message that begins so."""
    if not beginning:
        return None
    wanted = " ".join(beginning.split())
    for position in range(len(messages) - 1, max(-1, len(messages) - 1 - _QUOTED_WITHIN), -1):
        if " ".join(messages[position].text.split()).startswith(wanted):
            return position
    return None
