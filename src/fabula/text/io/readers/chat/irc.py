"""IRC logs: irssi, WeeChat, HexChat, mIRC, ZNC and plain ``[12:34] <nick> text``."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

from fabula.text.io.readers.chat.message import Chat, Message

__all__ = ["parse"]

_log = logging.getLogger(__name__)

_CLOCK = r"(?P<time>\d{1,2}:\d\d(?::\d\d)?)"
_DAY = r"(?:(?P<day>\d{4}-\d\d-\d\d)[T ])?"
_MONTH_DAY = r"(?:(?P<month_day>[A-Z][a-z]{2} \d\d) )?"
_STAMP = rf"(?:\[?{_DAY}{_MONTH_DAY}{_CLOCK}\]?\s+)?"
_SPOKEN = re.compile(rf"{_STAMP}<[ @+%~&!]?(?P<nick>[^\s<>]{{1,40}})>(?:\s(?P<text>.*)|$)")
_ACTION = re.compile(rf"{_STAMP}\*\s{{1,2}}(?P<nick>[^\s*]{{1,40}})\s(?P<text>.*)")
_NOTICE = re.compile(rf"{_STAMP}(?P<text>(?:-!-|===|\*\*\*|---|-->|<--|--|-\S{{1,60}}-)\s.*)")
_WEECHAT = re.compile(rf"{_DAY}{_CLOCK}\t[@+%~&!]?(?P<nick>[^\t]*)\t(?P<text>.*)")
_WEECHAT_MARKS = ("-->", "<--", "--", "=!=", "")
# HexChat and mIRC have one mark for what somebody does and what the program tells.
_TOLD = re.compile(
    r"\* (?:Now talking (?:on|in) |Topic for |Topic is |Set by |Disconnected|Attempting to |"
    r"\S{1,40} (?:\([^\s()]{1,80}@[^\s()]{0,80}\) )?"
    r"(?:has (?:joined|left|quit)|Quit|is now known as |"
    r"sets mode|gives (?:channel )?(?:half-)?(?:operator|voice)|removes |set the topic|"
    r"has (?:changed the topic|set the topic|kicked)|was kicked|changes topic|Topic\b|"
    r"is (?:now )?(?:online|offline)\b))"
)
# The day is written once, where a log begins or a day does: "--- Day changed Tue Jan 02 2018".
_DAY_LINE = re.compile(
    r"(?:--- (?:Day changed|Log opened)|\*{4} BEGIN LOGGING AT|Session Start:) \w{3} "
    r"(?P<month>\w{3}) +(?P<day>\d{1,2})(?: \d\d:\d\d:\d\d)? (?P<year>\d{4})"
)
_OUTSIDE = re.compile(r"\*{4} (?:BEGIN|ENDING) LOGGING AT |Session (?:Start|Close|Ident|Time): ")
_FILE_DAY = re.compile(r"(?:.*[_.-])?(\d{4})-?(\d\d)-?(\d\d)")  # ZNC: 2018-01-01.log
_CODES = re.compile(r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|[\x02\x04\x0f\x11\x16\x1d-\x1f]")
_FIRST_LINES = 60
_LEAST = 0.6  # of the first lines
_HALF_DAY, _HALF_YEAR = timedelta(hours=12), timedelta(days=183)


def parse(lines: Sequence[str], path: str, date_order: str | None = None) -> Chat | None:
    """The messages of a log, a line each; None unless most lines are of a log and one is spoken.

    A log without a day in it is of the day that its file is named by.
    """
    lines = [_CODES.sub("", line) for line in lines]
    head = [line for line in lines[:_FIRST_LINES] if line.strip() and not _OUTSIDE.match(line)]
    matched = [line for line in head if _form(line)]
    spoken = any(
        _SPOKEN.fullmatch(line)
        or ((m := _WEECHAT.fullmatch(line)) and m["nick"] not in _WEECHAT_MARKS)
        for line in matched
    )
    if not spoken or len(matched) < _LEAST * len(head):
        return None
    messages: list[Message] = []
    day: date | None = None
    latest: datetime | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if match := _DAY_LINE.match(line):
            day = _day(f"{match['year']} {match['month']} {match['day']}") or day
            if day is None:
                _log.info("%s:%d: there is no such day", path, number)
        message = _message(number, line, day)
        if message.time and "T" in message.time:
            sent = datetime.fromisoformat(message.time)
            if latest and latest.date() == sent.date() == day and latest - sent > _HALF_DAY:
                sent += timedelta(days=1)  # mIRC does not say that a day begins
                message = replace(message, time=sent.isoformat())
            latest, day = sent, sent.date()
        messages.append(message)
    if not any(message.time and "T" in message.time for message in messages):
        messages = _on_day_of_file(messages, path)
    return Chat(messages)


def _on_day_of_file(messages: list[Message], path: str) -> list[Message]:
    """The messages with the day the file is named by, if it is a day and the clock never falls."""
    match = _FILE_DAY.fullmatch(Path(path).name.partition(".log")[0].partition(".txt")[0])
    clocks = [message.time for message in messages if message.time]
    if match is None or clocks != sorted(clocks):
        return messages
    try:
        day = date(*map(int, match.groups())).isoformat()
    except ValueError:
        return messages
    return [replace(m, time=f"{day}T{m.time}") if m.time else m for m in messages]


def _day(written: str) -> date | None:
    """The date of ``2018 Jan 02``; None where there is none."""
    try:
        return datetime.strptime(written, "%Y %b %d").date()
    except ValueError:
        return None


def _form(line: str) -> re.Match[str] | None:
    return (
        _WEECHAT.fullmatch(line)
        or _SPOKEN.fullmatch(line)
        or _ACTION.fullmatch(line)
        or _NOTICE.fullmatch(line)
    )


def _message(number: int, line: str, day: date | None) -> Message:
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
    if match.re is _ACTION and _TOLD.match(f"* {nick} {text}"):
        return Message(number, f"{nick} {text}", None, time, system=True, verbatim=True)
    return Message(number, text, nick.strip(), time, verbatim=True)


def _time(match: re.Match[str], day: date | None) -> str | None:
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
    known = groups.get("day") or _in_year_of(groups.get("month_day"), day) or day
    return f"{known}T{clock}" if known else clock


def _in_year_of(month_day: str | None, before: date | None) -> date | None:
    """A month and a day in the year of the day before it, or in the next if they are earlier."""
    if month_day is None or before is None:
        return None
    found = _day(f"{before.year} {month_day}")
    if found is not None and before - found > _HALF_YEAR:
        return _day(f"{before.year + 1} {month_day}") or found
    return found
