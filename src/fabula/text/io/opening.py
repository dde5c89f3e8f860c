"""The opening of a report: headline, byline and dateline, read as metadata and set aside.

Conservative by design. A headline is a short first line without the end of a sentence that a blank
line, a byline, a date or a dateline follows; a dateline is a place in capitals, or a place and a
news agency, and a dash; a source line ends in a date after a comma; a first line that ends in a
date with its year ("Minutes of the board, Tuesday 4 June 2024") is a title and a date. Everything
else is text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fabula.text.io.dates import date_in
from fabula.types import Aside

__all__ = ["Opening", "dated_title", "read_opening"]

Paragraphs = Sequence[tuple[int, str]]

_AGENCIES = (
    "Reuters|AP|AFP|UPI|ANI|PTI|IANS|Xinhua|TASS|Interfax|Bloomberg|dpa|DPA|EFE|ANSA|KUNA|APA|PA|"
    "CNN|BBC|Associated Press|Agence France-Presse|Press Association|Bernama|Kyodo|Yonhap|CP"
)
_DAY = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?"
    r"(?:\d{1,2} [A-Z][a-z]{2,8}\.?|[A-Z][a-z]{2,8}\.? \d{1,2})(?:,? \d{4})?"
)
_CAPITALS = r"[A-Z][A-Z’'.-]+(?: [A-Z][A-Z’'.-]*){0,3}"
_NAME = r"[A-Z][\w.’'-]+(?: (?:[A-Z][\w.’'-]*|de|la|el|of|upon|on)){0,3}"
_DASH = r"\s*(?:--+|[–—]|-(?=\s))\s*"
_SAID_BY = rf"\s*[(/](?P<agency>{_AGENCIES}|PRNewswire|BUSINESS WIRE|GLOBE NEWSWIRE)[)/]"
_BEGINS = r"(?=[\"“‘'(]?[A-Z0-9])"
_ANY_SOURCE = r"\s*\((?P<source>[A-Z][\w.&’' -]{1,40})\)"  # after a place in capitals
_DATELINE = re.compile(
    rf"(?P<place>{_CAPITALS}(?:[,/] {_NAME})?)(?:, (?P<day>{_DAY}))?(?:{_SAID_BY}|{_ANY_SOURCE})?"
    rf"{_DASH}{_BEGINS}"
)
_MIXED_DATELINE = re.compile(  # a place in small letters needs an agency
    rf"(?P<place>{_NAME}(?:, {_NAME})?)(?:, (?P<day>{_DAY}))?{_SAID_BY}{_DASH}{_BEGINS}"
)
_PERSON = (
    r"(?:(?:Dr|Prof|Sir)\.? )?[A-Z][\w’'.-]+(?: (?:[A-Z][\w’'.-]*|de|van|von|der|bin|al)){1,4}"
)
_BYLINE = re.compile(
    rf"(?:[Bb][Yy]|Reported by|Written by|Story by):? "
    rf"(?P<who>{_PERSON}(?:(?:,| and|,? &) {_PERSON})*)"
    rf"(?:,? (?:in|for|at|of) {_NAME})?(?:\s*[,|/-]\s*[\w’'. &-]{{2,50}})?"
)
_ROLE = re.compile(
    r",? (?:\w+ )?(?:Staff|Writers?|Reporters?|Correspondents?|Editors?|Press|Reuters|Service)\b.*"
)
_CLOCK = r"(?:,? (?:at )?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?(?: [A-Z]{2,4})?)?"
_PRINTED = r"(?:first |last )?(?:published|updated|posted|modified|date|issued)(?: on| at)?:? "
_DATE = rf"(?:{_DAY}|\d{{4}}-\d\d-\d\d|\d{{1,2}}[/.]\d{{1,2}}[/.](?:\d\d){{1,2}}){_CLOCK}"
_DATE_LINE = re.compile(
    rf"(?:{_PRINTED})?{_DATE}(?:(?: ?[|•·–—-]| ?[,;])? {_PRINTED}{_DATE})*"
    r"(?:,? by [\w.’'-]+(?: [\w.’'-]+){0,3})?",
    re.IGNORECASE,
)
_IS_PRINTED = re.compile(_PRINTED, re.IGNORECASE)
_NUMERIC = re.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d")  # the day or the month may come first
_SOURCE_LINE = re.compile(rf"[A-Z][^.!?;:]{{2,70}}[,|–—-] ?{_DAY}{_CLOCK}")
_DATED_TITLE = re.compile(
    rf"(?P<title>[A-Z][^.!?;:]{{2,70}}?)(?: ?[,|–—:-] ?|,? (?:held on|dated) | ?\()(?P<day>{_DAY})"
    rf"{_CLOCK}\)?"
)
_HAS_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_NO_TITLE = re.compile(r"(?:From|Source|Copied|Taken|Found)\b")  # where the text was found
_ADDRESSED = re.compile(r"(?:To|My|Dear|Fellow|Gentlemen)\b[^.!?\n]{0,100}[:,—-]")  # a speech
_ENDED = re.compile(r"[.!?…:;,][\"'”’)\]]*$")
_STARTS = re.compile(r"[\"“‘'(]?[A-Z0-9]")
_LIST_ITEM = re.compile(r"[-*+•>#\[|]|\(?\d{1,3}[.)]\s|\d{1,2}[:.]\d\d")
_LONGEST = 110  # characters
_MOST_WORDS = 16
_FEWEST_WORDS = 8  # of the paragraph below a headline
_HEAD = 5  # paragraphs in which a byline or a date may stand


@dataclass(slots=True)
class Opening:
    """What the opening says, and the paragraphs without it."""

    paragraphs: list[tuple[int, str]]
    title: str | None = None
    date: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    aside: list[Aside] = field(default_factory=list)


def read_opening(paragraphs: Paragraphs, *, headline: bool = True) -> Opening:
    """The opening of a text, given its paragraphs with their lines.

    >>> text = "PARIS, 3 May 2024 (Reuters) - The bridge fell."
    >>> opening = read_opening([(1, text)])
    >>> opening.paragraphs, opening.date, opening.extra
    ([(1, 'The bridge fell.')], '2024-05-03', {'dateline': 'PARIS', 'agency': 'Reuters'})
    """
    lines = _head_lines(paragraphs)
    found = Opening(list(paragraphs))
    taken, diary = set[int](), _is_diary(paragraphs)
    if headline and not diary and (dated := _first_dated(lines)):
        found.title, found.date = dated
        found.aside.append(Aside("dateline", lines[0].text, lines[0].number))
        taken = {0}
    elif headline and (title := _headline(lines, paragraphs)):
        found.title, taken = title, {0}
    for place, (number, text, _, _) in enumerate(lines):
        if place in taken:
            continue
        if (match := _BYLINE.fullmatch(text)) and len(text) <= _LONGEST:
            found.extra.setdefault("byline", _ROLE.sub("", match["who"]))
            found.date = found.date or date_in(text)
            found.aside.append(Aside("byline", text, number))
        elif not diary and _is_date_line(text, place) and _tells_day(text):
            found.date = found.date or date_in(text)
            if not date_in(text) and not _NUMERIC.search(text):
                found.extra["notes"] = [f"“{text}” is no day of the calendar"]
            found.aside.append(Aside("dateline", text, number))
        else:
            break  # the text has begun
        taken.add(place)
    if taken:
        found.paragraphs = _without(paragraphs, Counter(lines[place].paragraph for place in taken))
    _dateline(found)
    return found if found.paragraphs else Opening(list(paragraphs))


def _is_date_line(text: str, place: int) -> bool:
    """Whether a line is a date, or below another one a source and a date."""
    return bool(_DATE_LINE.fullmatch(text) or (place and _SOURCE_LINE.fullmatch(text)))


def _tells_day(text: str) -> bool:
    """Whether a date line has a day of a year, be it one that no calendar has, or says that it is
    of printing."""
    told = _HAS_YEAR.search(text) and not _NUMERIC.search(text)
    return bool(date_in(text) or told or _IS_PRINTED.match(text))


def dated_title(line: str) -> tuple[str | None, str] | None:
    """The title, if it is one, and the day (ISO) of a line that ends in a date with its year.

    >>> dated_title("Minutes of the board, Tuesday 4 June 2024")
    ('Minutes of the board', '2024-06-04')
    >>> dated_title("From the council's site, 4 June 2024"), dated_title("Burned on 4 June 2024")
    ((None, '2024-06-04'), None)
    """
    match = _DATED_TITLE.fullmatch(line)
    date = date_in(match["day"]) if match and _HAS_YEAR.search(match["day"]) else None
    if match is None or date is None:
        return None
    return None if _NO_TITLE.match(match["title"]) else match["title"].strip(), date


def _first_dated(lines: Sequence[_Line]) -> tuple[str | None, str] | None:
    """The first line's title and date, where it alone has them and other lines follow."""
    found = [dated_title(line.text) for line in lines]
    alone = len(lines) > 1 and not any(found[1:])
    return found[0] if alone else None


def _is_diary(paragraphs: Paragraphs) -> bool:
    """Whether several lines are dates: then none of them is the document's."""
    rows = (row.strip() for _, text in paragraphs for row in text.splitlines())
    return sum(_DATE_LINE.fullmatch(row) is not None for row in rows if len(row) < 60) > 1


class _Line(NamedTuple):
    """One of the first lines: its number in the file, and the paragraph it is of."""

    number: int
    text: str
    alone: bool  # a paragraph of its own
    paragraph: int


def _head_lines(paragraphs: Paragraphs) -> list[_Line]:
    lines = []
    for at, (number, text) in enumerate(paragraphs[:_HEAD]):
        rows = text.splitlines()[:_HEAD]
        lines += [_Line(number + i, row.strip(), len(rows) == 1, at) for i, row in enumerate(rows)]
    return lines


def _headline(lines: Sequence[_Line], paragraphs: Paragraphs) -> str | None:
    if len(lines) < 2:
        return None
    text, alone = lines[0].text, lines[0].alone
    words = len(text.split())
    if (
        not 2 <= words <= _MOST_WORDS
        or len(text) > _LONGEST
        or _ENDED.search(text)
        or re.search(r"[a-z]{3}[.!?] [A-Z]", text)  # two sentences
        or not _STARTS.match(text)
        or _LIST_ITEM.match(text)
        or _BYLINE.fullmatch(text)
        or _DATE_LINE.fullmatch(text)
    ):
        return None
    following = lines[1].text
    if (
        _BYLINE.fullmatch(following)
        or _match_dateline(following)
        or (_DATE_LINE.fullmatch(following) and date_in(following) and not _is_diary(paragraphs))
    ):
        return text
    if not alone:
        return None
    # What follows must be prose, or the first line may be one of many of its kind.
    for _, body in paragraphs[1:_HEAD]:
        if _BYLINE.fullmatch(body) or _is_date_line(body, place=1) or _ADDRESSED.fullmatch(body):
            continue
        prose = len(body.split()) >= _FEWEST_WORDS and re.search(r"[.!?…][\"'”’)\]]*\s*$", body)
        return text if prose else None
    return None


def _without(paragraphs: Paragraphs, taken: Mapping[int, int]) -> list[tuple[int, str]]:
    """The paragraphs without their first lines, as many of each (by its index) as are taken.

    Not by the numbers of the lines: in a PDF these are those of pages.
    """
    kept = []
    for at, (number, text) in enumerate(paragraphs):
        first = taken.get(at, 0)
        rest = "".join(text.splitlines(keepends=True)[first:])
        if rest.strip():
            kept.append((number + first, rest.strip()))
    return kept


def _match_dateline(text: str) -> re.Match[str] | None:
    return _DATELINE.match(text) or _MIXED_DATELINE.match(text)


def _dateline(found: Opening) -> None:
    """Cut the dateline off the first paragraph."""
    if not found.paragraphs:
        return
    number, text = found.paragraphs[0]
    match = _match_dateline(text)
    if not match or "\n" in match[0].strip():
        return
    day = match["day"]
    found.extra["dateline"] = match["place"]
    groups = match.groupdict()
    if agency := groups["agency"] or groups.get("source"):
        found.extra["agency"] = agency
    if day and (date := date_in(day)):
        found.date = found.date or date
    elif day:
        found.extra["dateline_day"] = day  # the year is not told
    found.aside.append(Aside("dateline", match[0].strip(), number))
    rest = text[match.end() :]
    found.paragraphs[0] = (number + text[: match.end()].count("\n"), rest)
