from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.temporal_order import (
    hours_of,
    one_date,
    told_log_odds,
    with_told_times,
)
from fabula.ordering.items import Order
from fabula.text.temporal.expressions import moment_of

NIGHT = [
    "At two the river stopped rising in the morning.",
    "At four in the afternoon the glass fell.",
    "By half past five the boats lay safe.",
    "At ten past nine the lights went out.",
]


def timed(
    before: NDArray[np.float64], texts: list[str], hours: Sequence[int | None] | None = None
) -> Order:
    return with_told_times(Order(tuple(range(len(texts))), before), texts, hours)


def test_told_times_outweigh_a_guess() -> None:
    guess = (
        np.full((4, 4), 0.5) + np.triu(np.full((4, 4), 0.1), 1) - np.tril(np.full((4, 4), 0.1), -1)
    )
    answer = timed(guess, NIGHT)
    assert answer.order == (1, 2, 3, 0) and answer.confidence > 0.8
    unchanged = Order((1, 0), guess[:2, :2])
    assert with_told_times(unchanged, ["It rained.", "It stopped."]) is unchanged
    odds = told_log_odds(NIGHT)
    assert (odds == -odds.T).all()


def test_clocks_of_other_days_are_not_compared() -> None:
    texts = [
        "On 3 May at nine in the morning it began.",
        "On 4 May at eight in the morning it ended.",
    ]
    assert not told_log_odds(texts).any()


def test_the_hours_of_a_pile_outweigh_those_of_one_story() -> None:
    story = ["At half past two they came in.", "At half past seven the rockets went up."]
    pile = [*story, "At four in the afternoon it began.", "At three in the morning all was over."]
    assert timed(np.full((2, 2), 0.5), story).order == (0, 1)
    hours = hours_of(pile)
    assert hours == [630, 210, 0, 660]
    assert timed(np.full((2, 2), 0.5), story, hours[:2]).order == (1, 0)
    assert hours_of([*pile, "On 3 May it rained.", "On 4 May it was dry."]) is None
    assert one_date([moment_of("It rained.")]) == (None, None, None)


def test_weekdays_outweigh_a_guess() -> None:
    week = [
        "It was dry on Wednesday.",
        "On Sunday it rained.",
        "On Tuesday evening it rained again.",
    ]
    guess = np.full((3, 3), 0.5)
    assert timed(guess, week).order == (1, 2, 0)  # from Sunday to Wednesday
    assert hours_of(week) is None


def test_a_night_over_two_weekdays_is_one_stretch() -> None:
    night = [
        "At 4 a.m. on Wednesday it came.",
        "At 1 a.m. it stood.",
        "At 11 p.m. on Tuesday it left.",
        "At 3 a.m. it moved.",
    ]
    assert timed(np.full((4, 4), 0.5), night, hours_of(night)).order == (2, 1, 3, 0)


def test_the_model_tells_with_which_day_a_long_week_begins() -> None:
    week = ["On Monday the strike began.", "On Friday it ended."]
    assert not told_log_odds(week).any()
    assert told_log_odds(week, None, np.array([[0.5, 0.7], [0.3, 0.5]]))[0, 1] > 0
    assert told_log_odds(week, None, np.array([[0.5, 0.3], [0.7, 0.5]]))[0, 1] < 0


def test_an_hour_without_a_day_is_put_where_the_model_would_have_it() -> None:
    texts = [
        "At 9 p.m. on Monday the gate was locked.",
        "At 2 p.m. the boat was found.",
        "On Tuesday morning he confessed.",
        "On Wednesday at 6 a.m. it reopened.",
    ]
    before = np.full((4, 4), 0.5)
    before[1, 2], before[2, 1] = 0.2, 0.8  # found after the confession, says the model
    before[1, 3], before[3, 1] = 0.9, 0.1
    odds = told_log_odds(texts, None, before)
    assert odds[0, 1] > 0 and odds[2, 1] > 0 and odds[1, 3] > 0
    assert not told_log_odds(texts)[1].any()
    dated = [texts[0], "At 2 p.m. on 3 May it was found.", *texts[2:]]
    assert not told_log_odds(dated, None, before)[1].any()
