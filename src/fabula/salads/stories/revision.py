"""Story assignment after a person moved sentences: the free ones follow, probabilities anew."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.correlation import story_log_odds
from fabula.salads.stories.assignment import Untangled

__all__ = ["move_free_sentences", "revised_probabilities"]

Floats = NDArray[np.floating]
_ROUNDS = 30


def move_free_sentences(
    log_odds: Floats, labels: Sequence[int], *, pinned: Collection[int], locked: Collection[int]
) -> list[int]:
    """Labels after each sentence not ``pinned`` moved to the story of its largest log-odds sum.

    Coordinate ascent, sentence by sentence, until none moves. ``locked`` stories neither gain nor
    lose a sentence, and no story is emptied.
    """
    log_odds = np.array(log_odds, dtype=np.float64)
    np.fill_diagonal(log_odds, 0.0)
    labels = list(labels)
    open_stories = [story for story in dict.fromkeys(labels) if story not in locked]
    free = [i for i in range(len(labels)) if i not in pinned]
    for _ in range(_ROUNDS):
        moved = False
        for i in free:
            current = labels[i]
            if current in locked:
                continue  # new text that came into a locked story by itself
            array = np.array(labels)
            if (array == current).sum() == 1:
                continue
            totals = {story: float(log_odds[i][array == story].sum()) for story in open_stories}
            best = max(totals, key=lambda story: (totals[story], -story))
            if totals[best] > totals[current] + 1e-9:
                labels[i], moved = best, True
        if not moved:
            break
    return labels


def revised_probabilities(
    assigned: Untangled, labels: Sequence[int]
) -> tuple[list[float], list[int | None]]:
    """The probability and the runner-up story of each sentence under revised labels.

    A sentence that stayed keeps its probability; for a moved one it is the softmax of its mean
    log-odds with each story. Without log-odds all stay as assigned.
    """
    if assigned.odds is None or tuple(labels) == assigned.labels:
        return list(assigned.probabilities), list(assigned.runner_up)
    numbers = sorted(set(labels))
    if len(numbers) == 1:
        return [1.0] * len(labels), [None] * len(labels)
    index = np.array([numbers.index(label) for label in labels])
    logits = story_log_odds(assigned.odds, index)
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    probabilities = [
        old if label == before else float(new)
        for old, label, before, new in zip(
            assigned.probabilities, labels, assigned.labels, shares[rows, index], strict=True
        )
    ]
    logits[rows, index] = -np.inf
    return probabilities, [numbers[int(i)] for i in logits.argmax(axis=1)]
