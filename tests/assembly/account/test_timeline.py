"""Timeline: rows sorted and dated, guessed ones marked with why."""

from __future__ import annotations

from fabula.assembly.account.timeline import (
    TimelineRow,
    format_value,
    neighbours_of,
    timeline_of,
    undated_of,
)
from fabula.ordering.chronology.story_calendar import StoryTime
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
    assert undated_of(rows, entries) == ((1, 2), (1, 4))


def test_an_undated_sentence_lies_between_dates() -> None:
    rows = [row(1, "1911-05-03"), row(2, "", ""), row(3, "1911-05-05")]
    entries = timeline_of(rows)
    assert neighbours_of(1, 2, entries) == ("1911-05-03", "1911-05-05")


def test_a_message_without_a_time_of_its_own_has_when_it_was_sent() -> None:
    (entry,) = timeline_of([row(1, "", "", sent="2024-03-12T10:30:00")])
    assert (entry.when, entry.date) == ("2024-03-12 10:30:00", "2024-03-12T10:30")


def test_values_are_written_for_people() -> None:
    values = ["XXXX-06-03", "1911-SU", "BC0044", "18", "2006-Q4", "1911-05-03TNI"]
    assert [format_value(value) for value in values] == [
        "3 June", "summer 1911", "44 BC", "19th century", "Q4 2006", "3 May 1911 night",
    ]  # fmt: skip
