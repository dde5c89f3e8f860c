"""WhatsApp's text export, of Android (date, time - name: text) and iOS ([date, time] name: text).

Twelve or 24 hours, with or without seconds, numbers of a date in any order, messages of several
lines, invisible marks (U+200E, U+202F). The forms are those of the header grammar of whatstk and of
the tests of published parsers (whatsapp-chat-parser, chat-miner), older ones without a dash
included; the Markdown of signal-export has the same header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabula.text.io.readers.chat.message import Chat, Message
from fabula.text.io.readers.chat.timestamps import CLOCK, DATE, Stamp, clock, is_date, read_stamps

__all__ = ["parse"]

_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_UNMARKED = dict.fromkeys(map(ord, "\u200e\u2066\u2067\u2068\u2069"))
_WHEN = rf"{DATE}(?:,|،)?\s?(?:at\s|à\s|um\s|klo\s)?\s*{CLOCK}"
_HEADER = re.compile(
    rf"[{_MARKS}]*(?:\[{_WHEN}\]|{_WHEN}\.?(?: Uhr)?[ \u00a0\u202f][-–—](?=\s|$))\s?(?:~\s?)?(.*)",
    re.DOTALL,
)
# Older versions have neither brackets nor a dash. So has many a log: here a comma, am or pm or dots
# in the date and a sender must be there.
_LOOSE = re.compile(
    rf"[{_MARKS}]*(?=\d+\.|\S+,|.{{0,24}}[AaPp]\.?\s?[Mm])()()()()()()(){_WHEN}(?::| ,)?\s"
    r"([^\s:][^:]*: .*)",
    re.DOTALL,
)
_SENDER = re.compile(rf"[{_MARKS}]*([^\n]{{1,80}}?)[{_MARKS}]*:(?:\s|$)(.*)", re.DOTALL)
_QUOTES = re.compile('["“”„«»]')
_FIRST_LINES = 20  # where the first header must be
# What the program writes in a person's place; iOS puts the group or a person before it.
_SYSTEM = re.compile(
    r"end-to-end encrypted|created (?:this )?group|changed (?:the|this) (?:subject|group|community)"
    r"|changed to \+|changed their phone number|security code|joined using|was added|were added"
    r"|\badded (?:you|\+|~|[A-Z])|\bremoved (?:you|\+|~|[A-Z])|^\S.{0,60} left$|now an admin"
    r"|turned (?:on|off) disappearing|disappearing message|(?:missed|declined|no answer).{0,12}call"
    r"|^(?:voice|video) call|pinned a message|blocked this contact|waiting for this message",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"missed (?:group )?(?:voice|video) call(?:[.,\u200e ].*)?"
    r"|(?:group )?(?:voice|video) call[.,] \u200e?(?:\d+ (?:sec|min|hr?)\b|no answer|tap to).*",
    re.IGNORECASE,
)
_ATTACHED = (
    r"(?:file attached|datei angehängt|archivo adjunto|file allegato|fichier joint|"
    r"arquivo anexado|ficheiro anexado|bestand bijgevoegd)"
)
# In angle brackets the program speaks, in the language of the phone: <Medien ausgeschlossen>.
_MEDIA = re.compile(
    r"<\s?(?:media|attached|medien|archivo|média|multimedia|view once)[^>]*>"
    r"|<[^<>/=\n]{1,60}[\s:][^<>/=\n]{1,60}>"
    r"|(?:\S.{0,160}\u200e)?(?:image|video|audio|sticker|gif|document|contact card|video note"
    r"|view once(?: \w+){0,2})\s?omitted|live location shared|null"
    rf"|\S.{{0,120}}\.\w{{2,5}} \({_ATTACHED}\)|\S.{{0,160}}\u200e<attached: [^>\n]*>"
    r"|poll:\n.*|location: https?://\S+",
    re.IGNORECASE | re.DOTALL,
)
_DELETED = re.compile(
    r"(?:this message was deleted(?: by admin .*)?|you deleted this message(?: as admin)?"
    r"|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht"
    r"|(?:se eliminó|eliminaste) este mensaje|ce message a été supprimé"
    r"|vous avez supprimé ce message|(?:essa|esta) mensagem foi apagada|mensagem apagada"
    r"|questo messaggio è stato eliminato|hai eliminato questo messaggio"
    r"|dit bericht is verwijderd|u hebt dit bericht verwijderd)\.?",
    re.IGNORECASE,
)
_EDITED = re.compile(
    r"\u200e?<[^<>\n]{0,30}(?:edit|bearbeitet|modifi|bewerkt)[^<>\n]{0,20}>\Z", re.IGNORECASE
)
# A file with words to it: Android has them on the next line, iOS before the file's name.
_CAPTION_BELOW = re.compile(
    rf"(\S.{{0,120}}\.\w{{2,5}} \({_ATTACHED}\))\n(.*\S.*)", re.DOTALL | re.I
)
_FILE_BEHIND = re.compile(r"\u200e(<attached: [^<>\n]*>)\Z")


class _Started(NamedTuple):
    line: int
    stamp: Stamp
    rest: str


def parse(lines: Sequence[str], path: str, date_order: str | None = None) -> Chat | None:
    """The messages of the lines of a text file; None where it is no such export.

    A line without a header goes on with the message before it.
    """
    if not any(_header(line, 0) for line in lines[:_FIRST_LINES]):
        return None
    started: list[tuple[_Started, list[str]]] = []
    opening: list[str] = []
    for number, line in enumerate(lines, 1):
        header = _header(line, number)
        if header is not None:
            started.append((header, [header.rest]))
        elif started:
            started[-1][1].append(line)
        else:
            opening.append(line)
    times = read_stamps(
        [header.stamp for header, _ in started],
        [header.line for header, _ in started],
        date_order,
    )
    messages = [Message(1, "\n".join(opening), system=True, verbatim=True)] if opening else []
    for (header, text), time in zip(started, times.times, strict=True):
        messages += _messages(header.line, "\n".join(text).rstrip(), time)
    return Chat(messages, times.notes, times.order)


def _header(line: str, number: int) -> _Started | None:
    """The date, time and rest of a line that begins a message."""
    match = _HEADER.fullmatch(line) or _LOOSE.fullmatch(line)
    if match is None:
        return None
    groups = match.groups()
    date_and_time = groups[:7] if groups[0] else groups[7:14]
    first, second, third, *time = date_and_time
    try:
        dotted = "." in line.lstrip(_MARKS).split()[0]
        stamp = Stamp((first, second, third), clock(*time), dotted)
    except ValueError:
        return None  # 99:99 is no time, so this is no header
    return _Started(number, stamp, groups[14]) if is_date(stamp.parts) else None


def _messages(line: int, text: str, time: str | None) -> Iterator[Message]:
    """What was sent: a message, and the file that its words are to by itself."""
    match = _SENDER.fullmatch(text)
    if match is None or _is_system(match[1]):
        yield Message(line, _plain(text), None, time, system=True, verbatim=True)
        return
    sender, said = _plain(match[1]).strip(), _EDITED.sub("", match[2].rstrip()).rstrip()
    if below := _CAPTION_BELOW.fullmatch(said.strip(_MARKS)):
        yield Message(line, below[1], sender, time, media=True, verbatim=True)
        yield Message(line + 1, _plain(below[2]), sender, time, verbatim=True)
    elif (behind := _FILE_BEHIND.search(said)) and not said.startswith("\u200e"):
        words = said[: behind.start()].rstrip()
        last = line + words.count("\n")
        yield Message(line, _plain(words), sender, time, verbatim=True)
        yield Message(last, behind[1], sender, time, media=True, verbatim=True)
    else:
        yield _message(line, said, sender, time)


def _message(line: int, said: str, sender: str, time: str | None) -> Message:
    shown = said.strip(_MARKS)
    marks = said[: len(said) - len(said.lstrip(_MARKS))]
    media = (_MEDIA.fullmatch(shown) or _DELETED.fullmatch(shown)) is not None
    # iOS marks what it wrote itself; without the mark the words are a person's.
    system = not media and ("\u200e" in marks or _CALL.fullmatch(shown) is not None)
    return Message(line, _plain(said), sender, time, system=system, media=media, verbatim=True)


def _plain(text: str) -> str:
    """The text without the marks that the program puts around it, and around names in it."""
    return text.strip(_MARKS).translate(_UNMARKED)


def _is_system(before_colon: str) -> bool:
    """Whether what stands before the first colon is a notice: Ann changed the subject to "a: b"."""
    return len(_QUOTES.findall(before_colon)) % 2 == 1 or _SYSTEM.search(before_colon) is not None
