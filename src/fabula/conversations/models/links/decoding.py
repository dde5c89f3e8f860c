"""Link probabilities to conversations: each message joins the one with most probability mass.

The probabilities of the earlier messages of one conversation are summed, as the training objective
sums them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.items import Threading

__all__ = ["decode"]

Ints = NDArray[np.int64]
_LEAST = 1e-4  # probability below which a link counts as none


def decode(
    probabilities: NDArray[np.float32], given: Sequence[int | None] | None = None
) -> Threading:
    """Conversations, certainties and links from n x (1 + window) probabilities.

    Column 0 is the probability that the message starts a conversation, column d that it answers
    the message d before it. ``given`` names the earlier message that an export says is answered:
    it is taken. A link is the likeliest earlier message of the conversation.
    """
    told = [None] * len(probabilities) if given is None else list(given)
    labels = _greedy(probabilities, told)
    n, width = probabilities.shape
    links, certainty = list(range(n)), np.ones(n)
    numbers: dict[int, int] = {}
    for i in range(n):
        answered = told[i]
        reach = min(i, width - 1)
        same = labels[i - reach : i][::-1] == labels[i]  # column d is the message d before
        if answered is not None and answered < i:
            links[i] = answered
        elif same.any():
            row = np.where(same, probabilities[i, 1 : reach + 1], -1.0)
            links[i] = i - 1 - int(row.argmax())
            certainty[i] = row[same].sum()
        elif labels[i] not in numbers:
            certainty[i] = probabilities[i, 0]
        else:
            certainty[i] = 0.0  # its conversation went on without it for longer than the window
        numbers.setdefault(int(labels[i]), len(numbers))
    return Threading(
        tuple(numbers[label] for label in labels.tolist()),
        tuple(np.clip(certainty, 0.0, 1.0).tolist()),
        tuple(links),
    )


def _greedy(probabilities: NDArray[np.float32], told: Sequence[int | None]) -> Ints:
    """Each message joins the conversation with most probability mass, or starts one."""
    n, width = probabilities.shape
    labels = np.zeros(n, dtype=np.int64)
    for i in range(n):
        answered = told[i]
        if answered is not None and answered < i:
            labels[i] = labels[answered]
            continue
        reach = min(i, width - 1)
        row = probabilities[i]
        mass: dict[int, float] = {}
        likely = np.flatnonzero(row[1 : reach + 1] > _LEAST) + 1
        for d in likely.tolist():
            label = int(labels[i - d])
            mass[label] = mass.get(label, 0.0) + float(row[d])
        best = max(mass, key=mass.__getitem__, default=i)
        labels[i] = best if mass.get(best, 0.0) > row[0] else i
    return labels
