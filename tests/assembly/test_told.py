from __future__ import annotations

import numpy as np

from fabula.assembly.told import hours_of, one_date, reordered, told_log_odds
from fabula.ordering.evidence import moment_of

NIGHT = [
    "At two the river stopped rising in the morning.",
    "At four in the afternoon the glass fell.",
    "By half past five the boats lay safe.",
    "At ten past nine the lights went out.",
]


def test_told_times_outweigh_a_guess() -> None:
    guess = (
        np.full((4, 4), 0.5) + np.triu(np.full((4, 4), 0.1), 1) - np.tril(np.full((4, 4), 0.1), -1)
    )
    order, sure = reordered(guess, NIGHT)
    assert list(order) == [1, 2, 3, 0] and sure > 0.8
    assert reordered(guess[:2, :2], ["It rained.", "It stopped."]) == ((), 0.0)
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
    assert list(reordered(np.full((2, 2), 0.5), story)[0]) == [0, 1]
    hours = hours_of(pile)
    assert hours == [630, 210, 0, 660]
    assert list(reordered(np.full((2, 2), 0.5), story, hours[:2])[0]) == [1, 0]
    assert hours_of([*pile, "On 3 May it rained.", "On 4 May it was dry."]) is None
    assert one_date([moment_of("It rained.")]) == (None, None, None)
