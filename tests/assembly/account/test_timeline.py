from __future__ import annotations

from typing import Any

import pytest

from fabula.assembly import assemble
from fabula.assembly.account.timeline import SentenceTime, date_stories, date_story, format_date
from fabula.text.temporal.expressions import Moment, moment_of
from fabula.text.temporal.weekdays import weekday_of


def dated(*texts: str, sent: str | None = None) -> list[tuple[str, bool]]:
    return [
        (d.when, d.guessed)
        for d in date_story(1, [SentenceTime(moment_of(t), sent) for t in texts])
    ]


def test_the_timeline() -> None:
    assert dated("On 3 May 1911 it rained.", "It was dry.", "At 21:30 the mill burned.") == [
        ("3 May 1911", False), ("3 May 1911 21:30", True),
    ]  # fmt: skip
    assert dated("At nine in the evening it began.", "By two in the morning it was over.") == [
        ("21:00", False), ("next day 02:00", False),
    ]  # fmt: skip
    assert dated("Nothing is said.") == []
    assert dated("Nothing is said.", sent="2021-03-04T21:15:00") == [("2021-03-04 21:15:00", False)]


def test_the_timeline_goes_across_stories() -> None:
    texts = ["In 1914 the mill burned.", "In 1911 the ferry sank.", "In 1912 the mill opened."]
    whens = [entry.when for entry in assemble(["\n".join(texts)]).timeline]
    assert whens == ["1911", "1912", "1914"]


def test_a_pile_of_one_date_places_its_hours_together() -> None:
    def when(text: str) -> SentenceTime:
        return SentenceTime(moment_of(text), None, weekday_of(text))

    one = [
        when("At four in the afternoon of 9 November it blew."),
        when("At half past seven: rockets."),
    ]
    two = [when("At two in the morning they came in."), when("By nine all lights were out.")]
    found = [(d.when, d.story, d.guessed) for d in date_stories([(1, one), (2, two)])]
    assert found == [
        ("9 November 16:00", 1, False),
        ("9 November 19:30", 1, True),
        ("9 November 21:00", 2, True),
        ("10 November 02:00", 2, True),
    ]
    assert date_stories([(1, [SentenceTime(Moment())])]) == []


def test_weekdays_are_days() -> None:
    def when(text: str) -> SentenceTime:
        return SentenceTime(moment_of(text), None, weekday_of(text))

    one = [when("On Sunday it opened."), when("At 2.40 am on Wednesday he called.")]
    two = [when("At 11 pm on Tuesday it left."), when("At 1 am it stood."), when("It was dark.")]
    found = [(d.when, d.story, d.guessed) for d in date_stories([(1, one), (2, two)])]
    assert found == [
        ("Sunday", 1, False),
        ("Tuesday 23:00", 2, False),
        ("Wednesday 01:00", 2, True),
        ("Wednesday 02:40", 1, False),
    ]
    early = [when("At 9 pm it blew."), when("On Thursday it ended.")]
    found = [(d.when, d.story, d.guessed) for d in date_stories([(1, one), (2, early)])]
    assert ("Thursday 21:00", 2, True) in found


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ((1911, 12, 31, 1, None), "1 January 1912"),
        ((None, 6, 31, 1, 60), "31 June next day 01:00"),
        ((None, 2, 28, 1, None), "29 February"),
        ((1911, None, None, 2, None), "1911 2 days later"),
    ],
)
def test_format_date(moment: Any, words: str) -> None:
    assert format_date(*moment) == words
