"""Plain transcripts: ``Name: text`` on each line, with or without a time before the name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.timestamps import CLOCK, clock

__all__ = ["parse"]

_TURN = re.compile(
    rf"\s*(?:[\[(]?(?:(\d{{4}}-\d\d-\d\d)[T ,]+)?{CLOCK}[\])]?\s*[-–]?\s*)?"
    r"([^\W\d_][\w.'’@-]{1,40}(?: [\w.'’()-]{1,24}){0,3})\s?:(?:\s+(.*)|$)"
)
_NOT_A_NAME = re.compile(
    r"(?:https?|ftp|note|notes|warning|ps|subject|from|to|cc|date|re|title|author|source|example|"
    r"step|part|chapter|section|answer|question|tip|hint|summary|abstract|update|edit|error)\b.*",
    re.IGNORECASE,
)
_FIRST_LINES = 200
_LEAST_TURNS, _LEAST_SHARE = 4, 0.6


def parse(lines: Sequence[str], path: str, date_order: str | None = None) -> Chat | None:
    """The turns of a transcript; None unless two or more people take turns in most of its lines.

    Lines without a name go on with the turn before them.
    """
    head = [line for line in lines[:_FIRST_LINES] if line.strip()]
    turns = [match[6] for line in head if (match := _turn(line))]
    counts = Counter(turns)
    if (
        len(turns) < max(_LEAST_TURNS, _LEAST_SHARE * len(head))
        or len(counts) < 2
        or len(counts) > len(turns) / 2
    ):
        return None
    messages: list[tuple[int, str | None, str | None, list[str]]] = []
    for number, line in enumerate(lines, 1):
        match = _turn(line)
        if match:
            messages.append((number, match[6], _time(match), [match[7] or ""]))
        elif messages:
            messages[-1][3].append(line)
        elif line.strip():
            messages.append((number, None, None, [line]))
    return Chat(
        [
            Message(
                number, "\n".join(text).rstrip(), sender, time, system=sender is None, verbatim=True
            )
            for number, sender, time, text in messages
        ]
    )


def _turn(line: str) -> re.Match[str] | None:
    match = _TURN.fullmatch(line)
    return None if match is None or _NOT_A_NAME.fullmatch(match[6]) else match


def _time(match: re.Match[str]) -> str | None:
    if match[2] is None:
        return None
    try:
        time = clock(match[2], match[3], match[4], match[5])
    except ValueError:
        return None
    return f"{match[1]}T{time}" if match[1] else time
