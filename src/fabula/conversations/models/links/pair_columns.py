"""What a message and an earlier one have to do with each other: distance, people, words.

What comes after the message counts as well: whom its sender addresses next, and who names its
sender next, tell whom it spoke to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.chat_index import ChatIndex
from fabula.conversations.models.links.talk import (
    messages_since_talk,
    messages_until_talk,
    next_message_by,
    partner_of,
)

__all__ = ["PAIR", "pair_columns"]

Ints = NDArray[np.int64]
_DISTANCES = (1, 2, 3, 5, 8, 15, 30)
_MINUTES = (0, 1, 2, 4, 8, 20, 60, 240)
PAIR = (
    "earlier message", "log distance", *(f"distance <= {d}" for d in _DISTANCES),
    "timed", "log minutes", *(f"minutes <= {m}" for m in _MINUTES),
    "same sender", "own last message", "after own last message", "sender's latest",
    "sender's latest but one", "addresses sender", "names sender", "is addressed by it",
    "is named by it", "addresses another", "it addresses another", "same addressee",
    "its sender named since", "addressed last", "its addressee addressed last",
    "last to name the sender", "sender of last to name", "latest to its addressee",
    "they have talked", "they talked since", "log messages since they talked",
    "shared words", "shared words / length", "shared / its length", "shares any",
    "names the same", "log turns between",
    "addresses next", "its addressee addressed next", "addresses another next",
    "next to name the sender", "another is next to name", "they talk later",
    "log messages until they talk", "its sender speaks later", "log messages until it speaks",
    "it addresses the sender next", "it addresses another next", "it turned to another since",
    "sender turned to another since", "its addressee spoke since", "talked with its addressee",
    "log messages since talk with its addressee", "talks later with its addressee",
    "its partner is the sender", "its partner is another", "it is the partner",
    "same partner", "its addressee is the partner", "its next partner is the sender",
    "its next partner is another", "it is the next partner", "same next partner",
    "its addressee is the next partner", "topic",
)  # fmt: skip


def pair_columns(
    chat: ChatIndex, i: Ints, j: Ints, start: int, stop: int, window: int
) -> Iterator[NDArray[Any]]:
    """The columns of ``PAIR``, in its order."""
    distance = i - j
    gap = np.maximum(chat.minute[i] - chat.minute[j], 0.0)
    mine, its = chat.sender[i], chat.sender[j]
    to, its_to = chat.addressee[i], chat.addressee[j]
    n = len(chat)
    shared = _shared_words(chat.words, start, stop, window)
    yield np.ones_like(distance)
    yield np.log1p(distance) / 2
    for limit in _DISTANCES:
        yield distance <= limit
    yield np.full(distance.shape, chat.timed)
    yield np.log1p(gap) / 2
    for limit in _MINUTES:
        yield (gap <= limit) & chat.timed
    yield mine == its
    previous = chat.previous_by_sender[i]
    yield previous == j
    yield j > previous
    yield chat.next_by_sender[j] >= i
    yield chat.after_next_by_sender[j] >= i
    yield to == its
    names_it = (chat.named[i] == its[..., None]).any(-1)
    yield names_it
    yield its_to == mine
    named_by_it = (chat.named[j] == mine[..., None]).any(-1)
    yield named_by_it
    yield (to >= 0) & (to != its)
    yield (its_to >= 0) & (its_to != mine)
    yield (to >= 0) & (to == its_to)
    yield chat.next_naming_sender[j] < i
    last_to = chat.last_addressee[i]
    yield (last_to >= 0) & (last_to == its)
    yield (last_to >= 0) & (last_to == its_to)
    naming = chat.last_naming_sender[i]
    yield naming == j
    yield (naming >= 0) & (chat.sender[np.maximum(naming, 0)] == its)
    yield (its_to >= 0) & (chat.next_to_same[j] >= i)
    since = messages_since_talk(chat, i, mine, its)
    yield since <= n
    yield since < distance
    yield np.where(since <= n, np.log1p(np.minimum(since, 1000)) / 4, 0.0)
    yield np.minimum(shared, 20.0) / 5
    yield shared / np.maximum(np.minimum(chat.norm[i], chat.norm[j]), 4.0)
    yield shared / np.maximum(chat.norm[j], 4.0)
    yield shared > 0
    overlap = (chat.named[i][..., :, None] == chat.named[j][..., None, :]) & (
        chat.named[i][..., :, None] >= 0
    )
    yield overlap.any((-1, -2))
    turns = np.cumsum(chat.first_of_run)
    yield np.log1p(turns[i] - turns[j]) / 2
    yield from _later_columns(chat, i, j)
    for later in (False, True):
        partner, of_its = (partner_of(chat, i, person, later) for person in (mine, its))
        yield of_its == mine
        yield (of_its >= 0) & (of_its != mine)
        yield partner == its
        yield (partner >= 0) & (partner == of_its)
        yield (partner >= 0) & (partner == its_to)
    yield _shared_words(chat.topic, start, stop, window)


def _later_columns(chat: ChatIndex, i: Ints, j: Ints) -> Iterator[NDArray[Any]]:
    """What comes after the message, and between the two: whom they turn to."""
    n = len(chat)
    mine, its, its_to = chat.sender[i], chat.sender[j], chat.addressee[j]
    nobody = np.append(chat.addressee, -1)
    sender = np.append(chat.sender, -1)
    to_next = nobody[chat.next_addressing[i]]
    yield to_next == its
    yield (to_next >= 0) & (to_next == its_to)
    yield (to_next >= 0) & (to_next != its) & (to_next != its_to)
    namer = sender[chat.next_naming_sender[i]]
    yield namer == its
    yield (namer >= 0) & (namer != its)
    until = messages_until_talk(chat, i, mine, its)
    yield until <= n
    yield np.where(until <= n, np.log1p(np.minimum(until, 1000)) / 4, 0.0)
    later = next_message_by(chat, i, its)
    yield later < n
    yield np.where(later < n, np.log1p(np.minimum(later - i, 1000)) / 4, 0.0)
    to_later = nobody[later]
    yield to_later == mine
    yield (to_later >= 0) & (to_later != mine)
    turned = chat.next_addressing[j]
    yield (turned < i) & (nobody[turned] != mine)
    before = chat.last_addressee[i]
    yield (before >= 0) & (before != its) & (before != its_to)
    yield (its_to >= 0) & (next_message_by(chat, j, its_to) < i)
    since = messages_since_talk(chat, i, mine, np.maximum(its_to, 0))
    talked = (its_to >= 0) & (its_to != mine) & (since <= n)
    yield talked
    yield np.where(talked, np.log1p(np.minimum(since, 1000)) / 4, 0.0)
    until = messages_until_talk(chat, i, mine, np.maximum(its_to, 0))
    yield (its_to >= 0) & (its_to != mine) & (until <= n)


def _shared_words(words: Any, start: int, stop: int, window: int) -> NDArray[np.float32]:
    """Summed IDF of the words that message i and the message d before it have in common."""
    shared = np.zeros((stop - start, window), dtype=np.float32)
    for d in range(1, window + 1):
        low = max(start, d)
        if low < stop:
            product = words[low:stop].multiply(words[low - d : stop - d])
            shared[low - start :, d - 1] = np.asarray(product.sum(1)).ravel()
    return shared
