"""Repeats, the timeline, actors, gaps and queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabula.assembly import assemble
from fabula.assembly.account.actors import actors_of, deeds_of
from fabula.assembly.account.gaps import find_gaps
from fabula.assembly.account.timeline import When, date_stories, date_story, said
from fabula.assembly.facts.reading import read_sentences
from fabula.assembly.query import find_account
from fabula.assembly.solve.repeats import find_repeats
from fabula.events import Event, Prediction, Ranking
from fabula.text.temporal.expressions import Moment, moment_of
from fabula.text.temporal.weekdays import weekday_of
from fabula.types import Actor, Deed, Document, Narrative, Placed, Sentence


def test_repeats() -> None:
    texts = [
        "Two boats sank off the point last night.",
        "Two boats sank off the point last night!",
        "Three boats sank off the point last night.",  # another number
        "Two boats never sank off the point last night.",  # a "never"
        "Two boats sank off the point last night",
        "The mill burned.",
    ]
    assert find_repeats(texts, [1] * 6) == {1: 0, 4: 0}
    assert find_repeats(texts, [1, 2, 1, 1, 1, 1]) == {4: 0}  # another story's is no repeat
    assert find_repeats(texts, [1] * 6, {(0, 1)}) == {4: 0}


def test_repeats_are_folded_but_there() -> None:
    found = assemble(
        ["The mill burned down.\nRain fell on the hill.\nThe mill burned down!"], stories=1
    )
    (story,) = found.stories
    again = [(p, p.repeat_of) for p in story.sentences if p.repeat_of]
    assert len(story.sentences) == 3 and len(again) == 1
    ((placed, first),) = again
    assert story.sentences[first - 1].sentence.text == "The mill burned down."
    assert placed.position == first + 1


def dated(*texts: str, sent: str | None = None) -> list[tuple[str, bool]]:
    return [(d.when, d.guessed) for d in date_story(1, [When(moment_of(t), sent) for t in texts])]


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


def test_one_stretch_of_hours_for_all_stories() -> None:
    def when(text: str) -> When:
        return When(moment_of(text), None, weekday_of(text))

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
    assert date_stories([(1, [When(Moment())])]) == []


def test_weekdays_are_days() -> None:
    def when(text: str) -> When:
        return When(moment_of(text), None, weekday_of(text))

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
def test_said(moment: Any, words: str) -> None:
    assert said(*moment) == words


def test_times_of_messages_decide_the_order() -> None:
    def message(text: str, time: str) -> Document:
        return Document("c", (text,), source="c", extra={"chat": True, "sender": "A", "time": time})

    found = assemble(
        [
            message("The fire is out now.", "2021-03-04T23:00:00"),
            message("Smoke over the mill.", "2021-03-04T21:00:00"),
            message("The mill is burning. Help!", "2021-03-04T21:30:00"),
        ],
        stories=1,
    )
    told = [p.sentence.text for p in found.stories[0].sentences]
    assert told == ["Smoke over the mill.", "The mill is burning.", "Help!", "The fire is out now."]


def test_actors_and_deeds() -> None:
    readings = read_sentences(
        [
            "Doctor Edith Vane drove to London.",
            "Edith Vane did not find Owen Pike.",
            "Owen Pike left.",
        ]
    )
    actors = {a.name: a.positions for a in actors_of(readings)}
    assert actors["Edith Vane"] == (1, 2)
    assert actors["Owen Pike"] == (2, 3)
    deeds = deeds_of(readings)
    assert ("drive", 1, False) in [(d.verb, d.position, d.negated) for d in deeds]
    assert any(d.verb == "find" and d.negated and d.object == "Owen Pike" for d in deeds)


class Guesser:
    """Says that an arrest usually stands between."""

    def rank(self, tests: list[Any], top: int) -> list[Ranking]:
        return [Ranking((Prediction(Event("arrest", "obj"), 1.5, 0.0),), 1) for _ in tests]


def story() -> Narrative:
    placed = tuple(Placed(Sentence(t), i, 1.0) for i, t in enumerate(("A", "B"), 1))
    deeds = (Deed(1, "rob", "Rook", "bank"), Deed(2, "confess", "Rook"))
    return Narrative(4, "x", placed, 1.0, (Actor("Rook", (1, 2)),), deeds)


def test_gaps_are_guesses_between_neighbours() -> None:
    (gap,) = find_gaps([story()], Guesser())
    assert (gap.story, gap.after, gap.before, gap.actor) == (4, 1, 2, "Rook")
    assert gap.event == "arrest->obj" and gap.score == 1.5
    assert find_gaps([Narrative(1, "x", (), 1.0)], Guesser()) == ()


class Letters:
    def encode(self, texts: list[str]) -> Any:
        return np.array([[t.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for t in texts])


def test_the_account_in_which() -> None:
    def narrative(number: int, *texts: str) -> Narrative:
        return Narrative(
            number, "x", tuple(Placed(Sentence(t), i, 1.0) for i, t in enumerate(texts, 1))
        )

    stories = [narrative(1, "Rain.", "Mud."), narrative(7, "Fog.", "The ferry sank.", "Calm.")]
    found = find_account(stories, "the account in which the ferry sank", Letters())
    assert (found.query, found.story, found.positions[0]) == ("the ferry sank", 7, 2)
    assert set(found.scores) == {1, 7} and found.clear
