"""IRC logs: irssi, WeeChat, HexChat, ZNC and plain ``[12:34] <nick> text``."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import datetime

from fabula.text.io.readers.chat.message import Chat, Message

__all__ = ["parse"]

_log = logging.getLogger(__name__)

_CLOCK = r"(?P<time>\d{1,2}:\d\d(?::\d\d)?)"
_DAY = r"(?:(?P<day>\d{4}-\d\d-\d\d)[T ])?"
_STAMP = rf"(?:\[?{_DAY}(?:[A-Z][a-z]{{2}} \d\d )?{_CLOCK}\]?\s+)?"
_SPOKEN = re.compile(rf"{_STAMP}<[ @+%~&!]?(?P<nick>[^\s<>]{{1,40}})>(?:\s(?P<text>.*)|$)")
_ACTION = re.compile(rf"{_STAMP}\*\s{{1,2}}(?P<nick>[^\s*]{{1,40}})\s(?P<text>.*)")
_NOTICE = re.compile(rf"{_STAMP}(?P<text>(?:-!-|===|\*\*\*|---|-->|<--|--)\s.*)")
_WEECHAT = re.compile(rf"{_DAY}{_CLOCK}\t[@+%~&!]?(?P<nick>[^\t]*)\t(?P<text>.*)")
_WEECHAT_MARKS = ("-->", "<--", "--", "=!=", "")
# irssi writes the day once: "--- Day changed Tue Jan 02 2018".
_DAY_LINE = re.compile(
    r"--- (?:Day changed|Log opened) \w{3} (\w{3}) (\d\d)(?: \d\d:\d\d:\d\d)? (\d{4})"
)
_FIRST_LINES = 60
_LEAST = 0.6  # of the first lines


def parse(lines: Sequence[str], path: str, date_order: str | None = None) -> Chat | None:
    """The messages of a log, a line each; None unless most lines are of a log and one is spoken."""
    head = [line for line in lines[:_FIRST_LINES] if line.strip()]
    matched = [line for line in head if _form(line)]
    spoken = any(
        _SPOKEN.fullmatch(line)
        or ((m := _WEECHAT.fullmatch(line)) and m["nick"] not in _WEECHAT_MARKS)
        for line in matched
    )
    if not spoken or len(matched) < _LEAST * len(head):
        return None
    messages: list[Message] = []
    day: str | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if match := _DAY_LINE.match(line):
            try:
                moment = datetime.strptime(f"{match[2]} {match[1]} {match[3]}", "%d %b %Y")
                day = moment.date().isoformat()
            except ValueError:
                _log.info("%s:%d: there is no such day; the one before it stays", path, number)
        messages.append(_message(number, line, day))
    return Chat(messages)


def _form(line: str) -> re.Match[str] | None:
    return (
        _WEECHAT.fullmatch(line)
        or _SPOKEN.fullmatch(line)
        or _ACTION.fullmatch(line)
        or _NOTICE.fullmatch(line)
    )


def _message(number: int, line: str, day: str | None) -> Message:
    match = _form(line)
    if match is None:  # something a log does not have: kept as it is
        return Message(number, line.strip(), system=True, verbatim=True)
    time = _time(match, day)
    nick = match.groupdict().get("nick")
    text = match["text"] or ""
    if match.re is _WEECHAT:
        if nick is None or nick.strip() in _WEECHAT_MARKS:
            return Message(number, text, None, time, system=True, verbatim=True)
        if nick.strip() == "*":
            nick, _, text = text.partition(" ")
    if match.re is _NOTICE or nick is None:
        return Message(number, text, None, time, system=True, verbatim=True)
    return Message(number, text, nick.strip(), time, verbatim=True)


def _time(match: re.Match[str], day: str | None) -> str | None:
    """ISO where the day is known, else the clock time, else None."""
    groups = match.groupdict()
    clock = groups.get("time")
    if clock is None:
        return None
    clock = f"{clock:0>5}" if clock.count(":") == 1 else f"{clock:0>8}"
    clock += ":00" if clock.count(":") == 1 else ""
    hours, minutes, _ = clock.split(":")
    if int(hours) > 23 or int(minutes) > 59:
        return None
    known = groups.get("day") or day
    return f"{known}T{clock}" if known else clock
