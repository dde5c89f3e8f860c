"""Metrics of chat disentanglement (Kummerfeld et al. 2019); system lines are not scored.

One-to-one overlap and variation of information are those of salads, over the messages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.items import Conversation, Grouping
from fabula.errors import UsageError
from fabula.salads import metrics as salad_metrics
from fabula.salads.items import Salad
from fabula.task import Score

__all__ = ["METRICS", "exact_f1", "link_f1", "links_of", "one_to_one", "vi_scaled"]


def _scored(conversation: Conversation, grouping: Grouping) -> tuple[Salad, Grouping]:
    """The messages that count as a salad, and the answer about them."""
    if conversation.labels is None:
        raise UsageError(f"chat {conversation.id!r} has no labels; it cannot be scored")
    spoken = conversation.spoken
    gold = Salad(
        id=conversation.id,
        sentences=("",) * len(spoken),
        labels=tuple(conversation.labels[i] for i in spoken),
    )
    labels = tuple(grouping.labels[i] for i in spoken)
    return gold, Grouping(labels, (1.0,) * len(labels))


def one_to_one(conversation: Conversation, grouping: Grouping) -> Score:
    """Messages right under the best one-to-one matching of conversations, pooled over chats."""
    if not conversation.spoken:
        return Score(0.0, 0.0)
    return salad_metrics.one_to_one(*_scored(conversation, grouping))


def vi_scaled(conversation: Conversation, grouping: Grouping) -> Score:
    """1 - VI / log n: 1 where the conversations are the same, averaged over chats."""
    salad, scored = _scored(conversation, grouping)
    n = len(scored.labels)
    if n < 2:
        return Score(float(n), float(n))
    return Score(1.0 - salad_metrics.vi(salad, scored).total / float(np.log2(n)))


def exact_f1(conversation: Conversation, grouping: Grouping) -> Score:
    """F1 of conversations of two or more messages recovered without an error, pooled over chats."""
    salad, scored = _scored(conversation, grouping)
    if not scored.labels:
        return Score(0.0, 0.0)
    table = salad_metrics.contingency(_array(salad.labels or ()), _array(scored.labels))
    gold, predicted = table.sum(1, keepdims=True), table.sum(0, keepdims=True)
    exact = (table == gold) & (table == predicted) & (table >= 2)
    return Score(2.0 * float(exact.sum()), float((gold >= 2).sum() + (predicted >= 2).sum()))


def link_f1(conversation: Conversation, grouping: Grouping) -> Score:
    """F1 of links to earlier messages, self-links of first messages included, pooled over chats."""
    if conversation.links is None:
        return Score(0.0, 0.0)
    spoken = set(conversation.spoken)
    gold = {link for link in conversation.links if spoken >= {*link}}
    answered = links_of(conversation, grouping)
    predicted = {(i, answered[i]) for i in spoken}
    return Score(2.0 * len(gold & predicted), float(len(gold) + len(predicted)))


def links_of(conversation: Conversation, grouping: Grouping) -> tuple[int, ...]:
    """The earlier message each one answers; without links, the one before in its conversation."""
    links: tuple[int, ...] | None = getattr(grouping, "links", None)
    if links is not None:
        return links
    last: dict[int, int] = {}
    derived = list(range(len(grouping.labels)))
    for i in conversation.spoken:
        derived[i] = last.get(grouping.labels[i], i)
        last[grouping.labels[i]] = i
    return tuple(derived)


def _array(labels: tuple[int, ...]) -> NDArray[np.int64]:
    return np.asarray(labels, dtype=np.int64)


METRICS = {
    "one_to_one": one_to_one,
    "VI_scaled": vi_scaled,
    "exact_f1": exact_f1,
    "link_f1": link_f1,
}
