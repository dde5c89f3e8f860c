"""Groups of torn sentences that tell one story are joined."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.registry import create_model
from fabula.salads.stories.assignment import assign_stories
from fabula.salads.stories.group_merging import GroupWeights, group_evidence, join_groups

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
    model = create_model("salads", "documents")
    groups = [np.array([0, 1]), np.array([2, 3])]
    link, pairs = group_evidence(model, SENTENCES, groups, ODDS)
    assert pairs[0, 1] == pytest.approx(-5.0) and link.shape == (2, 2)


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
