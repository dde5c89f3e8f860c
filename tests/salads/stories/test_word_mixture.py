from __future__ import annotations

import numpy as np

from fabula.salads.stories.word_mixture import pairs_are_unsure, reassign_by_words

QUAKE = [
    "The earthquake in Arvika cracked the town hall.",
    "Mayor Holm of Arvika closed the town hall after the earthquake.",
    "Nobody in Arvika was hurt in the earthquake, said Holm.",
    "Holm will speak in the town hall of Arvika.",
]
HEIST = [
    "Thieves robbed the jeweller Tavares in Porto.",
    "Tavares saw the thieves leave in a van, police in Porto said.",
    "The van of the thieves was found burnt in Porto.",
    "Tavares, a jeweller, offers a reward for the thieves.",
]


UNKNOWN = np.zeros((9, 9))


def test_a_sentence_moves_to_the_group_that_says_its_words() -> None:
    found = reassign_by_words([*QUAKE, *HEIST], [0, 0, 0, 1, 1, 1, 1, 1], UNKNOWN[:8, :8])
    assert found.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_sure_pairs_outweigh_words() -> None:
    sure = np.full((8, 8), -40.0)
    labels = [0, 0, 0, 1, 1, 1, 1, 1]
    sure[np.equal.outer(labels, labels)] = 40.0
    assert reassign_by_words([*QUAKE, *HEIST], labels, sure).tolist() == labels


def test_a_group_that_says_nothing_of_its_own_is_emptied() -> None:
    labels = [0, 0, 0, 0, 1, 1, 1, 1, 2]
    found = reassign_by_words([*QUAKE, *HEIST, "He was right."], labels, UNKNOWN)
    assert found.max() == 1 and found[:8].tolist() == labels[:8]


def test_two_groups_never_become_one() -> None:
    labels = [0, 0, 0, 0, 1]
    found = reassign_by_words([*QUAKE, "He was right."], labels, UNKNOWN[:5, :5])
    assert found.tolist() == labels


def test_nothing_to_move() -> None:
    assert reassign_by_words(QUAKE, [0] * 4, UNKNOWN[:4, :4]).tolist() == [0] * 4
    assert reassign_by_words([], [], UNKNOWN[:0, :0]).shape == (0,)


def test_short_piles_and_clear_pairs_are_left_alone() -> None:
    assert pairs_are_unsure(np.ones((30, 30)))
    assert not pairs_are_unsure(np.ones((20, 20)))
    assert not pairs_are_unsure(np.full((30, 30), -4.0))
