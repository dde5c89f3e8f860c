"""Days as far as they are told, and which cannot be the same."""

from __future__ import annotations

import pytest

from fabula.text.temporal.calendar_days import CalendarDay, find_calendar_days


def _day(text: str) -> CalendarDay:
    (found,) = find_calendar_days(text)
    return found


@pytest.mark.parametrize(
    ("text", "month", "day", "weekday"),
    [
        ("It sank on 3 January, in fog.", 1, 3, None),
        ("It was the twenty-first of March.", 3, 21, None),
        ("On Thursday the 6th it smelled of eggs.", None, 6, 3),
        ("On Sunday the 2nd of February we voted.", 2, 2, 6),
        ("May 11th: a woman came to the gate.", 5, 11, None),
        ("On the 27th, at last, they called us.", None, 27, None),
        ("They rang it on Christmas Eve.", 12, 24, None),
        ("It was burnt in October.", 10, None, None),
        ("It was Saturday when we got down.", None, None, 5),
    ],
)
def test_days(text: str, month: int | None, day: int | None, weekday: int | None) -> None:
    found = _day(text)
    assert (found.month, found.day, found.weekday) == (month, day, weekday)


@pytest.mark.parametrize(
    "text", ["He lives on the second floor.", "I empty it on Mondays.", "It may rain."]
)
def test_no_days(text: str) -> None:
    assert not list(find_calendar_days(text))


def test_a_year_belongs_to_its_date() -> None:
    found = _day("On the night of 3 June 1998 I heard it.")
    assert (found.year, found.said) == (1998, "3 June 1998")


def test_days_apart() -> None:
    third, ninth = _day("on 3 May"), _day("on the ninth of May")
    assert third.days_apart(ninth) == ninth.days_apart(third) == 6
    assert third.days_apart(_day("in May")) == third.days_apart(_day("on Friday")) == 0
    assert _day("on Sunday").days_apart(_day("on Monday")) == 1
    assert _day("on 28 February").days_apart(_day("on 1 March")) < 10
