"""Timeline files: TimelineJS, CSV, iCalendar, TimeML."""

from __future__ import annotations

import csv
import io
import json

import pytest

from fabula.assembly.account.timeline import TimelineEntry
from fabula.assembly.render.timeline_files import (
    TIMELINE_FORMATS,
    to_csv,
    to_ics,
    to_timelinejs,
    to_timeml,
)
from fabula.assembly.types import Assembly
from fabula.text.temporal.timeml import from_timeml
from fabula.types import Narrative, Placed, Sentence

TEXTS = (
    "The dam, at Marwick; broke on 3 May 1938.",
    "=SUM(A1) was written on the wall in a very long line of chalk that nobody could read at all.",
    "It was rebuilt in 1941 <soon>.",
    "They met on Friday.",
)


@pytest.fixture
def assembly() -> Assembly:
    placed = tuple(
        Placed(Sentence(text, "notes.txt", place), place, 1.0, f"id{place}")
        for place, text in enumerate(TEXTS, 1)
    )
    entries = (
        TimelineEntry("3 May 1938 10:20", 1, 1, False, (0, 1, 1), "1938-05-03T10:20", "told"),
        TimelineEntry("1941", 1, 3, True, (0, 2, 2), "1941?", "guess", "fits the order"),
        TimelineEntry("Friday", 1, 4, False, (2, 0, 0), None, "told"),
    )
    return Assembly((Narrative(1, "Marwick", placed),), timeline=entries)


def test_timelinejs_has_the_entries_with_a_year(assembly: Assembly) -> None:
    events = json.loads(to_timelinejs(assembly))["events"]
    assert [event["start_date"] for event in events] == [
        {"year": 1938, "month": 5, "day": 3, "hour": 10, "minute": 20},
        {"year": 1941},
    ]
    assert "&lt;soon&gt;" in events[1]["text"]["text"] and "guessed" in events[1]["display_date"]


def test_timelinejs_by_its_own_rules() -> None:
    """https://timeline.knightlab.com/docs/json-format.html: what its loader refuses or needs."""
    dates = ("1938-05-03T10:20", "1938-05-03/1938-05-09", "1941?", "-0044-03", "2001-24", "1999~")
    placed = tuple(
        Placed(Sentence(f"<b>{place}</b>", "a.txt", place), place, 1.0, f"id{place}")
        for place in range(1, len(dates) + 1)
    )
    entries = tuple(
        TimelineEntry(f"<i>{day}", 1, place, "?" in day, (0, place, place), day, "told")
        for place, day in enumerate(dates, 1)
    )
    assembly = Assembly((Narrative(1, "<script>", placed),), timeline=entries)
    data = json.loads(to_timelinejs(assembly))
    assert set(data) <= {"events", "title", "eras", "scale"}
    order = ("year", "month", "day", "hour", "minute")
    for event in data["events"]:
        for date in filter(None, (event["start_date"], event.get("end_date"))):
            assert list(date) == list(order[: len(date)]), "a part needs the parts before it"
            assert all(type(part) is int for part in date.values())
            assert 1 <= date.get("month", 1) <= 12 and 1 <= date.get("day", 1) <= 31
        assert set(event["text"]) == {"headline", "text"}
        shown = [event["display_date"], event["group"], *event["text"].values()]
        assert all("<" not in text for text in shown)
    assert data["events"][1]["end_date"] == {"year": 1938, "month": 5, "day": 9}
    assert data["events"][3]["start_date"] == {"year": -44, "month": 3}
    names = [event["unique_id"] for event in data["events"]]
    assert len(set(names)) == len(names) == len(dates)


def test_csv_has_every_sentence_and_no_formula(assembly: Assembly) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(assembly))))
    assert [row["position"] for row in rows] == ["1", "3", "4", "2"]
    assert rows[3]["text"].startswith("'=")
    assert (rows[3]["after"], rows[3]["before"]) == ("1938-05-03T10:20", "1941?")
    assert rows[1]["reason"] == "fits the order"


def test_icalendar_has_the_entries_with_a_day(assembly: Assembly) -> None:
    text = to_ics(assembly)
    assert text.count("BEGIN:VEVENT") == 1 and text.endswith("END:VCALENDAR\r\n")
    assert "DTSTART:19380503T102000" in text
    assert "SUMMARY:The dam\\, at Marwick\\; broke on 3 May 1938." in text
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))


def test_timeml_can_be_read_again(assembly: Assembly) -> None:
    text, found, _ = from_timeml(to_timeml(assembly))
    assert text.splitlines()[0] == TEXTS[0]
    assert [timex.value for timex in found][:2] == ["1938-05-03", "1941"]


def test_every_format_takes_an_empty_assembly() -> None:
    for write in TIMELINE_FORMATS.values():
        assert write(Assembly(()))
