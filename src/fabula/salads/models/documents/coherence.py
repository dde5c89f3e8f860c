"""Adjacency coherence: a text's sentences in, whether they stand in an order of their own out.

In a text that somebody wrote, neighbours are more alike than sentences far apart; in a shuffled
one they are not. The statistic is a z score: how far the mean likeness of neighbours exceeds that
of all pairs, in standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.correlation import correlation_clusters
from fabula.salads.clustering.number_of_stories import cost_by_story_length
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.context.model import Context
from fabula.salads.models.documents.terms import sentence_terms
from fabula.text.rarity import rarity

__all__ = ["adjacency_z", "seems_shuffled"]

Floats = NDArray[np.floating]

# (sentences, z score): of that many sentences and more, a text below that score is shuffled. Of
# lists of sentences, one a line, either may be true: on training piles nine in ten coherent ones
# lie above, and of shuffled ones of 30 sentences and more nine in ten below. Running text is
# hardly ever shuffled.
_LISTED = ((30, 1.3), (18, 0.6), (12, -0.2))
_RUNNING = ((30, -0.7),)
# A list whose sentences fall into clear stories that alternate as in a shuffled one is shuffled,
# up to this z score.
_UNSURE_Z = 3.0
_CLEAR, _ALTERNATION = 0.9, 0.75
_MOST = 200  # sentences looked at: more make no surer


def seems_shuffled(sentences: Sequence[str], vectors: Floats, *, listed: bool) -> bool:
    """Whether the sentences stand in no order; ``listed``: each stands on a line of its own."""
    sentences, vectors = sentences[:_MOST], vectors[:_MOST]
    for least, limit in _LISTED if listed else _RUNNING:
        if len(sentences) >= least:
            z = adjacency_z(sentences, vectors)
            return z < limit or (listed and z < _UNSURE_Z and _stories_alternate(sentences))
    return False


def _stories_alternate(sentences: Sequence[str]) -> bool:
    """Whether clear stories, found sentence by sentence, change about as often as by chance."""
    grouping = _cluster(sentences)
    labels = grouping.labels
    shares = np.bincount(labels) / len(labels)
    by_chance = (1 - float((shares**2).sum())) * (len(labels) - 1)
    changes = sum(one != other for one, other in pairwise(labels))
    clear = float(np.mean(grouping.probabilities)) >= _CLEAR
    return clear and changes >= _ALTERNATION * by_chance > 0


def _cluster(sentences: Sequence[str]) -> Grouping:
    model = Context()
    (log_odds,) = model.pair_odds([Salad(id="text", sentences=tuple(sentences))])
    return model.certainty(
        log_odds, correlation_clusters(log_odds, story_cost=cost_by_story_length)
    )


def adjacency_z(sentences: Sequence[str], vectors: Floats) -> float:
    """The z score of neighbours and next-but-one neighbours, by vectors and by shared words."""
    words = [frozenset(word for word, _ in sentence_terms(sentence)) for sentence in sentences]
    index = {word: at for at, word in enumerate(sorted(frozenset[str]().union(*words)))}
    present = np.zeros((len(words), len(index)))
    for row, bag in enumerate(words):
        present[row, [index[word] for word in bag]] = 1.0
    weights = np.array([rarity(word) for word in index])
    shared = np.log1p((present * weights) @ present.T)
    likeness: Floats = vectors @ vectors.T
    scores = [_excess(matrix, step) for matrix in (likeness, shared) for step in (1, 2)]
    return float(sum(scores)) / 2  # four scores of unit variance


def _excess(likeness: Floats, step: int) -> float:
    n = len(likeness)
    if n <= step + 1:
        return 0.0
    pairs = likeness[~np.eye(n, dtype=bool)]
    error = float(pairs.std()) / math.sqrt(n - step)
    return (float(np.diag(likeness, step).mean()) - float(pairs.mean())) / (error + 1e-9)
