"""Single sentences in groups in, better groups out: a Dirichlet-multinomial mixture of their words.

The context model compares sentences two by two. What a group says as a whole tells more: names and
things that recur in one of two like events and never in the other. Each sentence moves to the group
whose other sentences make its words likeliest (Yin and Wang 2014, with hard assignments); large
groups attract, so that a sentence that tells nothing goes with most of the pile. What the model
says of its pairs counts too, and keeps clear groups as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.salads.models.documents.terms import sentence_terms
from fabula.text.rarity import rarity

__all__ = ["pairs_are_unsure", "reassign_by_words"]

Labels = NDArray[np.int64]
Floats = NDArray[np.floating]

# Chosen on piles of like events of training topics, torn into sentences.
_NAME = 1.5  # weight of a name's mention, of a common word's 1, each times its rarity
_SMOOTHING = 0.6  # of the words of a group
_ATTRACTION = 2.0  # of a group, times the logarithm of its size
_PAIRS = 0.5  # of the mean log-odds of a sentence with the others of a group
_ROUNDS = 30
# Of fewer sentences the words of a group are too few; where pairs are clear they stay as they are.
_FEWEST = 25
_CLEAR = 3.0  # mean absolute log-odds of a pile's pairs


def pairs_are_unsure(log_odds: Floats) -> bool:
    """Whether words of groups may tell more than the pairs: a long pile with weak log-odds."""
    return len(log_odds) >= _FEWEST and float(np.abs(log_odds).mean()) < _CLEAR


def reassign_by_words(
    sentences: Sequence[str], labels: Sequence[int] | Labels, log_odds: Floats
) -> Labels:
    """Labels from 0 after moving single sentences until none moves.

    ``log_odds`` are those of sentence pairs. A group may be emptied, but the last two: whether
    there is one story alone is not for single words to say.
    """
    given = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    found = given.copy()
    groups = int(found.max(initial=0)) + 1
    if groups < 2:
        return found
    pairs = np.array(log_odds, dtype=np.float64)
    np.fill_diagonal(pairs, 0.0)
    linked = pairs @ np.eye(groups)[found]  # of a sentence with each group
    words = _shared_words(sentences)
    told = np.eye(groups)[found].T @ words  # weights of the words of each group
    sizes = np.bincount(found, minlength=groups).astype(np.float64)
    smoothing = _SMOOTHING * words.shape[1]
    for _ in range(_ROUNDS):
        moved = False
        for i, row in enumerate(words):
            before, present = found[i], row > 0
            told[before] -= row
            sizes[before] -= 1
            likely = np.log(told[:, present] + _SMOOTHING) @ row[present]
            likely -= row.sum() * np.log(told.sum(axis=1) + smoothing)
            likely += _ATTRACTION * np.log(np.maximum(sizes, 1e-9))
            likely += _PAIRS * linked[i] / np.maximum(sizes, 1)
            now = int(likely.argmax())
            if now != before:
                moved = True
                found[i] = now
                linked[:, before] -= pairs[:, i]
                linked[:, now] += pairs[:, i]
            told[now] += row
            sizes[now] += 1
        if not moved:
            break
    left = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return given if left.max() == 0 else left


def _shared_words(sentences: Sequence[str]) -> Floats:
    """Sentences x words that two of them share, by weight; at least one column."""
    bags = [
        {word: rarity(word) * (_NAME if name else 1.0) for word, name in sentence_terms(sentence)}
        for sentence in sentences
    ]
    spread = Counter(word for bag in bags for word in bag)
    index = {word: n for n, word in enumerate(w for w, times in spread.items() if times > 1)}
    rows = np.zeros((len(bags), max(len(index), 1)))
    for row, bag in zip(rows, bags, strict=True):
        for word, weight in bag.items():
            if word in index:
                row[index[word]] = weight
    return rows
