from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabula.salads.stories.assignment import Untangled
from fabula.salads.stories.revision import move_free_sentences, revised_probabilities

# Sentences 0 to 2 belong together, and 3 to 5; 5 has a weak link to 0.
TOGETHER = np.kron(np.eye(2), np.ones((3, 3)))
LOG_ODDS = 4.0 * TOGETHER - 2.0
LOG_ODDS[0, 5] = LOG_ODDS[5, 0] = 0.5


def test_free_sentences_follow_those_that_are_pinned() -> None:
    moved = move_free_sentences(LOG_ODDS, [1, 2, 2, 2, 2, 1], pinned={1, 2}, locked=())
    assert moved == [2, 2, 2, 1, 1, 1]


def test_locked_stories_and_pinned_sentences_stay() -> None:
    given = [1, 1, 2, 2, 2, 2]
    assert move_free_sentences(LOG_ODDS, given, pinned=range(6), locked=()) == given
    assert move_free_sentences(LOG_ODDS, given, pinned=(), locked={1, 2}) == given
    assert move_free_sentences(LOG_ODDS, given, pinned=(), locked=()) == [1, 1, 1, 2, 2, 2]


def test_a_moved_sentence_gets_a_new_probability_and_the_others_keep_theirs() -> None:
    assigned = Untangled(
        (1, 1, 1, 2, 2, 2), (0.9,) * 6, (2, 2, 2, 1, 1, 1), ((),) * 6, True, odds=LOG_ODDS
    )
    assert revised_probabilities(assigned, assigned.labels)[0] == [0.9] * 6
    probabilities, runners_up = revised_probabilities(assigned, [1, 1, 1, 2, 2, 1])
    assert probabilities[:5] == [0.9] * 5 and runners_up == [2, 2, 2, 1, 1, 2]
    logits = np.array([LOG_ODDS[5, :3].mean(), 2.0])
    assert probabilities[5] == pytest.approx(1 / (1 + np.exp(logits[1] - logits[0])))
    assert revised_probabilities(assigned, [1] * 6) == ([1.0] * 6, [None] * 6)
    unscored = replace(assigned, odds=None)
    assert revised_probabilities(unscored, [1] * 6)[0] == [0.9] * 6
