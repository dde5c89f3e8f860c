"""Link probabilities to conversations: each message joins the one with most probability mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.items import Threading

__all__ = ["decode"]


def decode(
    probabilities: NDArray[np.float32], given: Sequence[int | None] | None = None
) -> Threading:
    """Conversations by greedy clustering in the order sent, from n x (1 + window) probabilities.

    Column 0 is the probability that the message starts a conversation, column d that it answers
    the message d before it. The probabilities of earlier messages of one conversation are summed,
    as the training objective sums them; the link is the likeliest message of the conversation
    chosen. ``given`` names the earlier message that an export says is answered: it is taken.
    """
    n, width = probabilities.shape
    labels = np.zeros(n, dtype=np.int64)
    links, certainty = list(range(n)), np.ones(n)
    conversations = 0
    for i in range(n):
        told = given[i] if given is not None else None
        if told is not None and told < i:
            labels[i], links[i] = labels[told], told
            continue
        reach = min(i, width - 1)
        row = probabilities[i]
        before = labels[i - reach : i][::-1]  # column d is the message d before
        candidates, which = np.unique(before, return_inverse=True)
        mass = np.bincount(which, weights=row[1 : reach + 1], minlength=len(candidates))
        best = int(mass.argmax()) if reach else -1
        if reach and mass[best] > row[0]:
            labels[i] = candidates[best]
            links[i] = i - 1 - int(np.where(which == best, row[1 : reach + 1], -1.0).argmax())
            certainty[i] = mass[best]
        else:
            labels[i], certainty[i] = conversations, row[0]
            conversations += 1
    return Threading(
        tuple(labels.tolist()), tuple(np.clip(certainty, 0.0, 1.0).tolist()), tuple(links)
    )
