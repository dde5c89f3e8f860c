"""Timeline files: an assembly in, TimelineJS, CSV, iCalendar or TimeML text out."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

from fabula.assembly.account.timeline import TimelineEntry, neighbours_of
from fabula.assembly.types import Assembly
from fabula.types import Placed

__all__ = ["TIMELINE_FORMATS", "as_cell", "to_csv", "to_ics", "to_timelinejs", "to_timeml"]

_DATE = re.compile(r"(-?\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d))?)?)?[?~%]?$")
_LONGEST_LINE = 73  # octets an iCalendar line may have, less the fold
_COLUMNS = (
    "date", "source", "guessed", "reason", "when", "story", "title", "position", "text", "document",
    "line", "after", "before",
)  # fmt: skip


def _rows(assembly: Assembly) -> Iterator[tuple[TimelineEntry, str, Placed]]:
    """Each entry with its story's title and its sentence."""
    stories = {story.id: story for story in assembly.stories}
    for entry in assembly.timeline:
        story = stories[entry.story]
        yield entry, story.title, story.sentences[entry.position - 1]


def to_timelinejs(assembly: Assembly) -> str:
    """TimelineJS JSON: an event for each entry whose date is known to the year.

    TimelineJS puts every text into the page as HTML, so all of them are escaped.
    """
    events: list[dict[str, Any]] = []
    for entry, title, placed in _rows(assembly):
        bounds = (entry.date or "").split("/")
        start = _timelinejs_date(bounds[0])
        if start is None:
            continue
        note = f" ({entry.why})" if entry.guessed and entry.why else ""
        event: dict[str, Any] = {
            "start_date": start,
            "display_date": _html(entry.when + (" (guessed)" if entry.guessed else "")),
            "text": {"headline": _html(entry.when), "text": _html(placed.sentence.text + note)},
            "group": _html(f"{entry.story}. {title}"),
            "unique_id": f"s{entry.story}-{entry.position}",
        }
        if len(bounds) == 2 and (end := _timelinejs_date(bounds[1])):
            event["end_date"] = end
        events.append(event)
    return json.dumps({"events": events}, ensure_ascii=False, indent=1) + "\n"


def _html(text: str) -> str:
    from html import escape

    return escape(text, quote=False)


def _timelinejs_date(edtf: str) -> dict[str, int] | None:
    match = _DATE.match(edtf)
    if match is None:
        return None
    names = ("year", "month", "day", "hour", "minute")
    return {
        name: int(part)
        for name, part in zip(names, match.groups(), strict=True)
        if part is not None and not (name == "month" and int(part) > 12)
    }


def to_csv(assembly: Assembly) -> str:
    """CSV: a row for each sentence of every story, the dated ones first and in order.

    An undated sentence has, in ``after`` and ``before``, the dates it lies between.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    dated = set()
    for entry, title, placed in _rows(assembly):
        dated.add((entry.story, entry.position))
        writer.writerow(
            {
                "date": entry.date or "",
                "source": entry.source,
                "guessed": "yes" if entry.guessed else "no",
                "reason": entry.why,
                "when": entry.when,
                **_place(entry.story, title, placed),
            }
        )
    for story in assembly.stories:
        for placed in story.sentences:
            if (story.id, placed.position) in dated or placed.repeat_of is not None:
                continue
            after, before = neighbours_of(story.id, placed.position, assembly.timeline)
            writer.writerow(
                {
                    **_place(story.id, story.title, placed),
                    "after": after or "",
                    "before": before or "",
                }
            )
    return out.getvalue()


def _place(story: int, title: str, placed: Placed) -> dict[str, Any]:
    return {
        "story": story,
        "title": as_cell(title),
        "position": placed.position,
        "text": as_cell(placed.sentence.text),
        "document": placed.sentence.source or placed.sentence.document or "",
        "line": placed.sentence.line,
    }


def as_cell(text: str) -> str:
    """A cell that a spreadsheet reads as text: no formula."""
    return f"'{text}" if text[:1] in ("=", "+", "@", "-", "\t", "\r") else text


def to_ics(assembly: Assembly) -> str:
    """iCalendar (RFC 5545): an event for each entry whose day is known."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//fabula//timeline//EN"]
    for entry, title, placed in _rows(assembly):
        match = _DATE.match((entry.date or "").split("/")[0])
        if match is None or match[3] is None or match[1].startswith("-"):
            continue
        day = date(int(match[1]), int(match[2]), int(match[3]))
        lines += ["BEGIN:VEVENT", f"UID:{placed.id or entry.position}-{entry.story}@fabula"]
        lines.append(f"DTSTAMP:{day:%Y%m%d}T000000Z")
        if match[4] is not None:
            lines.append(f"DTSTART:{day:%Y%m%d}T{match[4]}{match[5]}00")
        else:
            lines.append(f"DTSTART;VALUE=DATE:{day:%Y%m%d}")
            if day < date.max:
                lines.append(f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}")
        lines.append(f"SUMMARY:{_ics_text(placed.sentence.text)}")
        lines.append(f"CATEGORIES:{_ics_text(f'{entry.story}. {title}')}")
        if entry.guessed:
            lines.append("STATUS:TENTATIVE")
            lines.append(f"DESCRIPTION:{_ics_text('guessed: ' + (entry.why or entry.source))}")
        lines.append("END:VEVENT")
    lines.append("END:VCALENDAR")
    return "".join(f"{folded}\r\n" for line in lines for folded in _folded(line))


def _ics_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return " ".join(escaped.split())


def _folded(line: str) -> Iterator[str]:
    """A content line in pieces of at most 75 octets, never inside a character."""
    piece, size, first = "", 0, True
    for character in line:
        octets = len(character.encode("utf-8", "replace"))
        if size + octets > _LONGEST_LINE:
            yield piece if first else f" {piece}"
            piece, size, first = "", 0, False
        piece, size = piece + character, size + octets
    yield piece if first else f" {piece}"


def to_timeml(assembly: Assembly) -> str:
    """TimeML: the accounts one after the other, with a TIMEX3 tag on every expression."""
    from fabula.text.temporal.timeml import to_timeml as write
    from fabula.text.times import times_of_texts

    text = "\n\n".join(
        "\n".join(placed.sentence.text.replace("\n", " ") for placed in story.sentences)
        for story in assembly.stories
    )
    (found,) = times_of_texts([text], [None], strategy="narrative")
    return write(text, found, name="assembly")


TIMELINE_FORMATS: dict[str, Callable[[Assembly], str]] = {
    ".timeline.json": to_timelinejs,
    ".timeline.csv": to_csv,
    ".ics": to_ics,
    ".tml": to_timeml,
}
