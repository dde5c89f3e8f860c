"""Timeline: rows sorted and dated, guessed ones marked with why."""

from __future__ import annotations

from dataclasses import replace

from fabula.assembly.account.timeline import (
    TimelineRow,
    format_value,
    neighbours_of,
    timeline_of,
    undated_of,
)
from fabula.ordering.chronology.story_calendar import WHEN_SENT
from fabula.ordering.chronology.story_time import StoryTime
from fabula.text.temporal.interval import interval_of


def row(
    position: int, value: str, source: str = "told", document: str = "a", **more: str
) -> TimelineRow:
    time = StoryTime(value, interval_of(value) if value else None, source, more.get("why", ""))
    return TimelineRow(1, position, document, time, more.get("sent"))


def test_rows_are_sorted_and_dated() -> None:
    entries = timeline_of([row(1, "1911-05-03T10:00"), row(2, "1911"), row(3, "1911-05-02")])
    assert [entry.date for entry in entries] == ["1911", "1911-05-02", "1911-05-03T10:00"]
    assert [entry.guessed for entry in entries] == [False, False, False]


def test_unknown_dates_come_after_known_ones() -> None:
    entries = timeline_of([row(1, "XXXX-WXX-5T09:55"), row(2, "1999-06-15")])
    assert [(entry.when, entry.date) for entry in entries] == [
        ("15 June 1999", "1999-06-15"), ("Friday 09:55", None),
    ]  # fmt: skip


def test_a_guess_is_marked_with_why() -> None:
    (entry,) = timeline_of([row(1, "1999-06-15T10:20", "guess", why="fits the order")])
    assert (entry.guessed, entry.why, entry.date) == (True, "fits the order", "1999-06-15?")


def test_a_documents_date_stands_in_once() -> None:
    rows = [row(1, "1999-06-15", "document"), row(2, "1999-06-15", "document")]
    rows += [row(3, "1999-06-14", document="b"), row(4, "1999-06-16", "document", document="b")]
    entries = timeline_of(rows)
    assert [(entry.position, entry.source) for entry in entries] == [(3, "told"), (1, "document")]
    undated = undated_of(rows, entries, {"a": "1999-06-15", "b": None})
    assert [event[:2] for event in undated.events] == [(1, 2), (1, 4)]
    assert undated.documents == ("b",)


def test_a_day_without_an_hour_follows_the_hours_told_before_it() -> None:
    entries = timeline_of([row(1, "1911-05-03T15:30"), row(2, "1911-05-03")])
    assert [entry.position for entry in entries] == [1, 2]


def test_what_is_planned_is_marked() -> None:
    time = StoryTime("1999-06-15", interval_of("1999-06-15"), "told", planned=True)
    (entry,) = timeline_of([TimelineRow(1, 1, "a", time)])
    assert entry.guessed and entry.date == "1999-06-15?"


def test_an_undated_sentence_lies_between_dates() -> None:
    rows = [row(1, "1911-05-03"), row(2, "", ""), row(3, "1911-05-05")]
    entries = timeline_of(rows)
    assert neighbours_of(1, 2, entries) == ("1911-05-03", "1911-05-05")


def test_a_message_without_a_time_of_its_own_has_when_it_was_sent() -> None:
    (entry,) = timeline_of([row(1, "", "", sent="2024-03-12T10:30:00")])
    assert (entry.when, entry.date) == ("12 March 2024 10:30", "2024-03-12T10:30")
    (entry,) = timeline_of([row(1, "", "", sent="10:30")])
    assert (entry.when, entry.date) == ("10:30", None)


def test_a_message_that_tells_nothing_is_no_row_unless_it_names_a_time() -> None:
    sent = "2024-03-12T10:30:00"
    silent = replace(row(1, "", "", sent=sent), telling=False)
    named = replace(row(2, "2024-03-12T20:15", sent=sent), telling=False)
    entries = timeline_of([silent, named])
    assert [(entry.position, entry.when) for entry in entries] == [(2, "12 March 2024 20:15")]
    assert undated_of([silent, named], entries, {"a": sent}).events == ()  # it has its own time
    minute = replace(row(3, "2024-03-12T10:30", why=WHEN_SENT, sent=sent), telling=False)
    assert timeline_of([minute]) == []


def test_values_are_written_for_people() -> None:
    values = ["XXXX-06-03", "1911-SU", "BC0044", "18", "2006-Q4", "1911-05-03TNI"]
    assert [format_value(value) for value in values] == [
        "3 June", "summer 1911", "44 BC", "19th century", "Q4 2006", "3 May 1911 night",
    ]  # fmt: skip
