"""Which lines of a mail are its sender's own: lines in, pieces out (own, quote or forward).

Recognised are lines that begin with ">", the attribution before them ("On ... wrote:", also over
several lines), "-----Original Message-----", Outlook's block of From, Sent, To and Subject, what
the HTML marks as quoted, and forwarded messages. Of each quote it is kept who wrote it and when.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fabula.text.io.dates import date_in
from fabula.text.io.readers.mail.parts import Line

__all__ = ["Piece", "as_forward", "pieces_of"]

_PREFIX = re.compile(r"^\s{0,2}>+ ?")
_ONE_PREFIX = re.compile(r"^\s{0,2}> ?")
_ATTRIBUTION = re.compile(
    r"^\W{0,6}(?:On|Am|Le|El|Il|Op|Em|Den)\b.{6,300}?"
    r"\b(?:wrote|writes|schrieb\b.*|a écrit|escribió|ha scritto|schreef\b.*|skrev)\s?:\W*$"
    r"|^\W{0,3}(?:\w{3,10}, )?\d{1,4}[-/. ]\S+[-/. ]\d{1,4}\b.{0,200}"
    r"<\s*[^<>@\s]*@[^<>\s]+>.{0,20}:\W*$",
    re.DOTALL,
)
_MOST_LINES = 4  # of an attribution
_MOMENT = re.compile(r"@|\d[:.h]\d\d")
_ORIGINAL = re.compile(
    r"^\s*[-_*]{2,}\s*(?:Original|Reply|Ursprüngliche)\s*(?:Message|Nachricht|Appointment)\s*[-_*]{2,}",
    re.IGNORECASE,
)
_FORWARD = re.compile(
    r"^\s*(?:[-_*]{2,}\s*(?:Begin )?Forwarded (?:message|by\b.*?)\s*:?\s*[-_*]{2,}"
    r"|Begin forwarded message:|[-_*]{2,}\s*Weitergeleitete Nachricht\s*[-_*]{2,})\s*$",
    re.IGNORECASE,
)
_RULE = re.compile(r"^\s*[_-]{5,}\s*$")
_HEADER = re.compile(
    r"^\s*[*_]{0,2}(From|Sent|Date|To|Cc|Bcc|Subject|Reply-To|Importance|Attachments|Resent-\w+|"
    r"Organi[sz]ation|Priority|Von|Gesendet|Datum|An|Betreff|De|Envoyé|À|Objet)\s*:[*_]{0,2}(?:\s+|$)"
    r"(.*)$"
)
_ENGLISH = {
    "von": "from", "de": "from", "gesendet": "sent", "datum": "date", "envoyé": "sent",
    "an": "to", "à": "to", "betreff": "subject", "objet": "subject",
}  # fmt: skip
_FORWARDED = re.compile(r"^\s*(?:fwd?|wg|tr|rv)\s*:", re.IGNORECASE)
_DEEPEST = 40


@dataclass(slots=True)
class Piece:
    """Lines of one kind: ``own``, ``quote`` or ``forward``; ``headers`` tell who wrote them when.

    ``lines`` of a quote are as they stand; of a forward, its text without its headers, which are
    ``top``.
    """

    kind: str
    lines: list[Line]
    headers: dict[str, str] = field(default_factory=dict)
    top: list[Line] = field(default_factory=list)


def pieces_of(lines: Sequence[Line], subject: str = "", depth: int = 0) -> list[Piece]:
    """The pieces of a mail in order; ``subject`` tells a forwarded mail from an answer."""
    pieces: list[Piece] = []
    at = 0
    while at < len(lines):
        quote, end = _quote_at(lines, at, subject, depth)
        if quote:
            pieces.extend(quote)
            at = end
        elif pieces and pieces[-1].kind == "own":
            pieces[-1].lines.append(lines[at])
            at += 1
        else:
            pieces.append(Piece("own", [lines[at]]))
            at += 1
    return pieces


def _quote_at(lines: Sequence[Line], at: int, subject: str, depth: int) -> tuple[list[Piece], int]:
    """The quote or forward that begins with a line, and where it ends; none if it is no such."""
    text = lines[at].text
    if not text.strip():
        return [], at
    if _is_quoted(lines[at]):
        end = _run_end(lines, at)
        return [_run(lines[at:end], lines[at].mark != "quote")], end
    if _FORWARD.match(text):
        after = _next(lines, at + 1)
        if after < len(lines) and _is_quoted(lines[after]):
            end = _run_end(lines, after)
            return [_forward([lines[at]], _unquoted(lines[after:end]))], end
        return [_forward([lines[at]], lines[at + 1 :])], len(lines)
    marked = _ORIGINAL.match(text) is not None
    begins = _next(lines, at + 1) if marked or _RULE.match(text) else at
    headers, end = _headers(lines, begins)
    if headers or marked:
        kind = "forward" if _FORWARDED.match(subject) and not marked else "quote"
        return _rest(lines, at, end if headers else at + 1, headers, kind, depth), len(lines)
    return _attributed(lines, at)


def _attributed(lines: Sequence[Line], at: int) -> tuple[list[Piece], int]:
    """The quote below "On ... wrote:"."""
    for count in range(1, _MOST_LINES + 1):
        head = lines[at : at + count]
        if len(head) < count or not head[-1].text.strip() or _is_quoted(head[-1]):
            break
        joined = " ".join(line.text.strip() for line in head)
        if not _ATTRIBUTION.match(joined):
            continue
        after = _next(lines, at + count)
        if after < len(lines) and _is_quoted(lines[after]):
            end = _run_end(lines, after)
            return [Piece("quote", list(lines[at:end]), _attribution(joined))], end
        if _MOMENT.search(joined):  # nothing marks the quoted lines: they go on to the end
            return [Piece("quote", list(lines[at:]), _attribution(joined))], len(lines)
    return [], at


def _attribution(text: str) -> dict[str, str]:
    """From and date of "On Tue, 12 Mar 2024 at 09:14, Ann Lee <ann@a.b> wrote:".

    >>> _attribution("On Tue, 12 Mar 2024 at 09:14, Ann Lee <ann@a.b> wrote:")
    {'from': 'Ann Lee <ann@a.b>', 'date': '2024-03-12'}
    """
    found = {}
    name = re.search(
        r"(?:\d{4},?|\d:\d\d(?::\d\d)?(?:\s*[AaPp]\.?[Mm]\b\.?)?,?|[+-]\d{4},?|,)\s+"
        r"([^\d,<>]{2,80}?(?:\s*<[^<>]*>)?)\s*(?:wrote|writes)\s?:",
        text,
    )
    if name:
        found["from"] = name[1].strip()
    if date := date_in(text):
        found["date"] = date
    return found


def _headers(lines: Sequence[Line], at: int) -> tuple[dict[str, str], int]:
    """The headers of a quoted mail that begin with a line, and the line after them.

    There are none without From, a date and To or Subject.
    """
    found: dict[str, str] = {}
    end, name = at, ""
    for number in range(at, len(lines)):
        text = lines[number].text
        if match := _HEADER.match(text):
            name = _ENGLISH.get(match[1].lower(), match[1].lower())
            found[name] = match[2].strip(" *")
        elif not found or number - end > 1 or len(found) > 12:
            break
        elif text.strip():
            if name not in ("to", "cc") or not re.search(r"[@;]", text):
                break  # only a list of receivers goes on in the next line
        else:
            continue  # a blank line, when another header follows
        end = number + 1
    day = found.get("sent") or found.get("date") or ""
    if "from" not in found or not day or not ("to" in found or "subject" in found):
        return {}, at
    headers = {key: found[key] for key in ("from", "to", "cc", "subject") if found.get(key)}
    if date := date_in(day):
        headers["date"] = date
    return headers, end


def _rest(
    lines: Sequence[Line], at: int, end: int, headers: dict[str, str], kind: str, depth: int
) -> list[Piece]:
    """All that follows the headers of a quoted mail, which may quote others in its turn."""
    top = list(lines[at:end])
    if kind == "forward":
        return [Piece("forward", list(lines[end:]), headers, top)]
    if depth >= _DEEPEST:
        return [Piece("quote", list(lines[at:]), headers)]
    inner = pieces_of(lines[end:], headers.get("subject", ""), depth + 1)
    first = Piece("quote", top, headers)
    pieces = [first]
    for piece in inner:
        if piece.kind == "own" and pieces[-1] is first:
            first.lines.extend(piece.lines)
        else:
            pieces.append(Piece("quote", [*piece.top, *piece.lines], piece.headers))
    return pieces


def _forward(marker: list[Line], lines: Sequence[Line]) -> Piece:
    begins = _next(lines, 0)
    headers, end = _headers(lines, begins)
    if not headers:
        end = 0
    return Piece("forward", list(lines[end:]), headers, [*marker, *lines[:end]])


def as_forward(quote: Piece) -> Piece:
    """A quote as a mail of its own: without its marks, and its headers or attribution apart."""
    lines = [Line(line.text, line.number) for line in quote.lines]
    begins = _next(lines, 0)
    if begins < len(lines) and (
        _ORIGINAL.match(lines[begins].text) or _RULE.match(lines[begins].text)
    ):
        begins = _next(lines, begins + 1)
    _, end = _headers(lines, begins)
    for count in range(1, _MOST_LINES + 1):
        joined = " ".join(line.text.strip() for line in lines[begins : begins + count])
        if end == begins and _ATTRIBUTION.match(joined):
            end = begins + count
    body = lines[end:]
    if all(_is_quoted(line) for line in body if line.text.strip()):
        body = _unquoted(body)
    return Piece("forward", body, quote.headers, lines[:end])


def _run(lines: Sequence[Line], prefixed: bool) -> Piece:
    """A run of quoted lines; its first may say who wrote them, or that they were forwarded."""
    bare = _unquoted(lines) if prefixed else list(lines)
    begins = _next(bare, 0)
    if begins < len(bare) and _FORWARD.match(bare[begins].text):
        return _forward([bare[begins]], [Line(b.text, b.number) for b in bare[begins + 1 :]])
    headers, _ = _headers(bare, begins)
    if not headers:
        for count in range(1, _MOST_LINES + 1):
            joined = " ".join(line.text.strip() for line in bare[begins : begins + count])
            if _ATTRIBUTION.match(joined):
                headers = _attribution(joined)
                break
    return Piece("quote", list(lines), headers)


def _unquoted(lines: Sequence[Line]) -> list[Line]:
    return [Line(_ONE_PREFIX.sub("", line.text), line.number) for line in lines]


def _is_quoted(line: Line) -> bool:
    return line.mark == "quote" or _PREFIX.match(line.text) is not None


def _run_end(lines: Sequence[Line], at: int) -> int:
    """The end of a run of quoted lines; blank lines inside it belong to it."""
    end = at
    while end < len(lines):
        if _is_quoted(lines[end]):
            end += 1
            continue
        after = _next(lines, end)
        if after == len(lines) or not _is_quoted(lines[after]) or lines[end].text.strip():
            break
        end = after
    return end


def _next(lines: Sequence[Line], at: int) -> int:
    """The next line that is not blank."""
    while at < len(lines) and not lines[at].text.strip():
        at += 1
    return at
