"""Clock times told without a date."""

from __future__ import annotations

from fabula.ordering.features.clock_offsets import clock_offsets
from fabula.ordering.features.weekday_spans import weekday_of
from fabula.text.temporal.expressions import moment_of


def minutes(*texts: str) -> list[int | None]:
    return clock_offsets([moment_of(t) for t in texts], [weekday_of(t) for t in texts])


def test_a_night_goes_over_midnight() -> None:
    assert minutes("At 4 p.m. it blew.", "At 9 p.m. it poured.", "At 2 a.m. it ended.") == [
        0, 300, 600
    ]  # fmt: skip
    assert minutes("It rained.", "At nine it stopped.") == [None, 0]


def test_a_weekday_decides() -> None:
    friday = "At eight on Friday morning they came back."
    thursday = "Rain had been falling since noon on Thursday."
    assert minutes(friday, thursday) == [20 * 60, 0]
    assert weekday_of("From Monday to Friday it rained.") is None


def test_an_hour_of_unknown_half_is_read_so_that_all_takes_the_shortest_time() -> None:
    assert minutes("At half past five.", "At four in the afternoon.", "At seven.") == [90, 0, 180]
    assert minutes("At eleven o'clock.", "At one o'clock.") == [0, 120]
