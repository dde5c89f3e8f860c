from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.text.temporal.clock_times import ClockTime, find_clock_times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("At 02.47 a call came in.", [(167, 167, True)]),
        ("It stayed dark until twenty past two, when it rained.", [(140, 140, False)]),
        ("Bathing was allowed from 5 p.m., when the flag came down.", [(1020, 1020, True)]),
        ("They came shortly after six and left.", [(345, 375, False)]),
        ("It was gone midnight before they came.", [(1440, 1560, True)]),
        ("They were ashore by half past nine.", [(450, 570, False)]),
        ("At seven in the morning it was over.", [(420, 420, True)]),
        ("Six o’clock struck.", [(360, 360, False)]),
        ("The loot was 9.4 million yen.", []),
        ("It was done by six men.", []),
        ("He came in the late afternoon.", [(930, 1110, True)]),
        ("It was eight in the evening when a torch came.", [(1200, 1200, True)]),
        ("They left at half five, in the rain.", [(330, 330, False)]),
        ("The clock was striking eight.", [(480, 480, False)]),
    ],
)
def test_times_of_day(text: str, times: list[tuple[float, float, bool]]) -> None:
    assert [(c.low, c.high, c.half) for c in find_clock_times(text)] == times


def one(text: str) -> ClockTime:
    (found,) = find_clock_times(text)
    return found


def test_how_far_apart() -> None:
    assert one("at 14.05").minutes_apart(one("at four.")) == 115
    assert one("at 23.50").minutes_apart(one("at 0.10")) == 20  # over midnight
    assert one("at 16.00").minutes_apart(one("at four.")) == 0
    assert one("at midnight").minutes_apart(one("at twelve.")) == 0
    assert one("at one.").minutes_apart(one("at midnight")) == 60
    assert one("by half past ten.").minutes_apart(one("at 10.15")) == 0
    assert one("in the afternoon").minutes_apart(one("at dawn")) == 0  # both vague


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 23), st.integers(0, 59))
def test_apart_is_the_same_both_ways(h: int, m: int, hour: int, minute: int) -> None:
    first, second = one(f"at {h:02d}.{m:02d} it"), one(f"at {hour:02d}.{minute:02d} it")
    assert first.minutes_apart(second) == second.minutes_apart(first)
    assert first.minutes_apart(first) == 0


def test_tonight_is_no_early_morning() -> None:
    (tonight,), (night,) = (
        list(find_clock_times(t)) for t in ("At five tonight.", "At two at night.")
    )
    assert (tonight.low, night.low) == (17 * 60, 2 * 60)


def test_an_hour_in_figures_beside_a_day() -> None:
    (found,) = find_clock_times("A crane came at 10 on Tuesday morning.")
    assert (found.low, found.said) == (600, "10")
    assert not list(find_clock_times("They stopped at 12 in all."))
