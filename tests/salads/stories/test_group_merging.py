"""Groups of torn sentences that tell one story are joined."""

from __future__ import annotations

import numpy as np

from fabula.registry import create_model
from fabula.salads.stories.assignment import assign_stories
from fabula.salads.stories.group_merging import GroupWeights, join_groups, mean_pairs

SENTENCES = [
    "The ferry Orla ran aground off Hallan.",
    "Passengers of the Orla were taken to Hallan pier.",
    "Thieves took silver from the museum in Wenlow.",
    "The museum in Wenlow offered a reward for the silver.",
]
ODDS = np.array([[0, 2, -5, -5], [2, 0, -5, -5], [-5, -5, 0, 2], [-5, -5, 2, 0]], dtype=float)


def joined(labels: list[int], weights: GroupWeights | None = None) -> list[int]:
    model = create_model("salads", "documents")
    return [int(at) for at in join_groups(model, SENTENCES, labels, ODDS, weights)]


def test_parts_of_one_story_are_joined_and_two_stories_are_not() -> None:
    assert joined([0, 1, 2, 3]) == [0, 0, 1, 1]
    assert joined([0, 0, 1, 1]) == [0, 0, 1, 1]


def test_the_weights_decide() -> None:
    assert joined([0, 1, 2, 3], GroupWeights(0.0, 0.0, -1.0, 0.0, -99.0)) == [0, 1, 2, 3]
    assert joined([0, 1, 2, 3], GroupWeights(0.0, 0.0, 1.0, 0.0, -99.0)) == [0, 0, 0, 0]
    assert joined([0, 1, 2, 3], GroupWeights(0.0, 0.0, 1.0, 0.0, 99.0)) == [0, 1, 2, 3]


def test_one_group_or_none() -> None:
    assert joined([5, 5, 5, 5]) == [0, 0, 0, 0]


def test_evidence_is_the_mean_of_the_pairs() -> None:
    pairs = mean_pairs([np.array([0, 1]), np.array([2, 3])], ODDS)
    assert pairs.tolist() == [[1.0, -5.0], [-5.0, 1.0]]


def test_a_pile_that_repeats_itself_has_fewer_stories() -> None:
    repeats_decide = GroupWeights(
        pairs=0.0, repetition=1.0, intercept=-0.5, least=0.0, least_link=-99.0
    )
    model = create_model("salads", "documents")
    once = [SENTENCES[0], SENTENCES[2]]
    again = [
        *once,
        "The Orla, a ferry, ran aground off Hallan.",
        "Silver was taken by thieves from the museum in Wenlow.",
    ]
    for sentences, stories in ((once, 2), (again, 1)):
        n = len(sentences)
        found = join_groups(model, sentences, range(n), np.zeros((n, n)), repeats_decide)
        assert found.max() + 1 == (n if stories > 1 else 1)


def test_a_shuffled_report_of_one_event_is_one_story() -> None:
    report = [
        "A fire destroyed a warehouse of Dellacourt in Aldermouth.",
        "Firefighters fought the fire at the Dellacourt warehouse all night.",
        "The warehouse in Aldermouth burned to the ground, the fire service said.",
        "Dellacourt said the fire in the warehouse began in a battery.",
        "Nobody was killed in the Aldermouth fire.",
        "The fire service will hold a meeting on the Dellacourt fire.",
    ]
    assert assign_stories(report).stories == 1
