"""When an event happened: which time expression of its sentence dates it."""

from __future__ import annotations

import pytest

from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser
from fabula.text.temporal.event_time import EventTimes
from fabula.text.temporal.tagger import tag_times


@pytest.mark.parametrize(
    ("text", "verb", "value"),
    [
        ("The 2008 earthquake killed 300 people.", "killed", "2008"),
        ("He competed in the 2008 Olympics.", "competed", "2008"),
        ("She was arrested in 1998.", "arrested", "1998"),
        ("A co-worker has been charged in the 1967 slayings of two women.", "charged", ""),
        ("A co-worker has been charged in the 1967 slayings of two women.", "slayings", "1967"),
        ("People who were there for a Christmas party escaped.", "were", ""),
        ("They met on Christmas Day.", "met", "XXXX-12-25"),
        ("He was convicted of the 1998 murder of a nurse.", "convicted", ""),
        ("A new company has bought the 1972 ship.", "bought", ""),
    ],
)
def test_a_date_before_a_noun_may_name_it_alone(text: str, verb: str, value: str) -> None:
    (parsed,) = Parser().each(Parsed.of, [text])
    times = EventTimes(parsed, tag_times(parsed), None)
    assert times.of(parsed.words.index(verb)).value == value


@pytest.mark.parametrize(
    ("text", "verb", "dated"),
    [
        ("Nobody could forget that Monday.", "forget", False),
        ("She spent that Monday in hospital.", "spent", True),
        ("She left on Monday.", "left", True),
    ],
)
def test_a_time_that_is_acted_on_is_not_when(text: str, verb: str, dated: bool) -> None:
    (parsed,) = Parser().each(Parsed.of, [text])
    times = EventTimes(parsed, tag_times(parsed, "2024-03-15"), "2024-03-15")
    assert (times.of(parsed.words.index(verb)).timex is not None) is dated


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("The shop opens at 9 a.m.", "opens"),
        ("The page shows a picture of Ann Lund, 1955-2011.", "shows"),
    ],
)
def test_the_present_is_not_of_a_past_year_nor_of_one_hour(text: str, verb: str) -> None:
    (parsed,) = Parser().each(Parsed.of, [text])
    times = EventTimes(parsed, tag_times(parsed, "2024-03-11"), "2024-03-11")
    assert times.of(parsed.words.index(verb)).timex is None


def test_what_had_happened_before_dates_nothing_after_it() -> None:
    text = "It had been reported on Tuesday. The leak began when he opened the valve."
    (parsed,) = Parser().each(Parsed.of, [text])
    times = EventTimes(parsed, tag_times(parsed, "2025-03-14"), "2025-03-14")
    assert times.of(parsed.words.index("began")).value != "2025-03-11"
    assert times.current == ""
