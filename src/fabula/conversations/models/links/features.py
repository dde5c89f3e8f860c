"""Features of (message, earlier message) pairs: does the first answer or go on from the second?

Nothing here knows a word of a channel: people, times, distances, cues of form, and words shared
weighted by their rarity in the chat at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.chat_index import ChatIndex, pair_key
from fabula.conversations.models.links.dialogue_cues import CUES

__all__ = ["NAMES", "pair_features"]

Floats = NDArray[np.float32]
_DISTANCES = (1, 2, 3, 5, 8, 15, 30)
_MINUTES = (0, 1, 2, 4, 8, 20, 60, 240)
_PAIR = (
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
)  # fmt: skip
_OWN = (
    "first message", "log own gap", "log own distance", "addresses somebody", "addressee spoke",
    "named lately", "log rate", "log own messages", "log own addressees", "turns lately",
)  # fmt: skip
_OTHER = (
    "its first message", "it addresses somebody", "log its own gap", "log its sender's messages",
    "log its sender's addressees",
)  # fmt: skip
NAMES = (*_PAIR, *_OWN, *(f"own: {c}" for c in CUES), *_OTHER, *(f"its: {c}" for c in CUES))


def pair_features(chat: ChatIndex, start: int, stop: int, window: int) -> tuple[Floats, Floats]:
    """Features of the messages ``start`` to ``stop``: messages x (1 + window) x features, and mask.

    Column 0 is the message itself (it starts a conversation); column d the message d before it.
    """
    i = np.arange(start, stop)[:, None]
    j = i - np.arange(1, window + 1)[None, :]
    exists = j >= 0
    j = np.maximum(j, 0)
    block = np.zeros((stop - start, window + 1, len(NAMES)), dtype=np.float32)
    columns = _pair_columns(chat, i, j, _shared_words(chat, start, stop, window))
    for number, column in enumerate(columns):
        block[:, 1:, number] = column
    block[:, 1:][~exists] = 0.0
    own = len(_PAIR)
    block[:, :, own : own + len(_OWN)] = _own_columns(chat, start, stop)[:, None, :]
    own += len(_OWN)
    block[:, :, own : own + len(CUES)] = chat.cues[start:stop, None, :]
    own += len(CUES)
    first = chat.previous_by_sender < 0
    block[:, 1:, own] = first[j]
    block[:, 1:, own + 1] = chat.addressee[j] >= 0
    block[:, 1:, own + 2] = _own_gap(chat)[j]
    block[:, 1:, own + 3] = (np.log1p(chat.said_before) / 4)[j]
    block[:, 1:, own + 4] = (np.log1p(chat.addressed_before) / 2)[j]
    block[:, 1:, own + len(_OTHER) :] = chat.cues[j]
    block[:, 1:, own:][~exists] = 0.0
    mask = np.concatenate([np.ones((stop - start, 1), dtype=bool), exists], axis=1)
    return block, mask.astype(np.float32)


def _pair_columns(
    chat: ChatIndex, i: NDArray[np.int64], j: NDArray[np.int64], shared: Floats
) -> Iterator[NDArray[Any]]:
    """The columns of ``_PAIR``, in its order."""
    distance = i - j
    gap = np.maximum(chat.minute[i] - chat.minute[j], 0.0)
    mine, its = chat.sender[i], chat.sender[j]
    to, its_to = chat.addressee[i], chat.addressee[j]
    n = len(chat)
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
    since = _messages_since_they_talked(chat, i, mine, its)
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


def _messages_since_they_talked(
    chat: ChatIndex, i: NDArray[np.int64], mine: NDArray[np.int64], its: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Messages since the two last named one another, before message i; n + 1 where never."""
    n = len(chat)
    base = pair_key(mine, its, chat.people) * (n + 1)
    place = np.searchsorted(chat.exchanges, base + i) - 1
    if not len(chat.exchanges):
        return np.full(base.shape, n + 1)
    key = chat.exchanges[np.maximum(place, 0)]
    known = (place >= 0) & (key >= base)
    return np.where(known, i - (key - base), n + 1)


def _shared_words(chat: ChatIndex, start: int, stop: int, window: int) -> Floats:
    """Summed IDF of the words that message i and the message d before it have in common."""
    shared = np.zeros((stop - start, window), dtype=np.float32)
    for d in range(1, window + 1):
        low = max(start, d)
        if low < stop:
            product = chat.words[low:stop].multiply(chat.words[low - d : stop - d])
            shared[low - start :, d - 1] = np.asarray(product.sum(1)).ravel()
    return shared


def _own_gap(chat: ChatIndex) -> Floats:
    """Log minutes since the sender's last message."""
    previous = chat.previous_by_sender
    gap = chat.minute - chat.minute[np.maximum(previous, 0)]
    return np.where(previous >= 0, np.log1p(gap) / 4, 0.0).astype(np.float32)


def _own_columns(chat: ChatIndex, start: int, stop: int) -> Floats:
    i = np.arange(start, stop)
    previous = chat.previous_by_sender[i]
    to = chat.addressee[i]
    spoke = np.full(chat.people, len(chat), dtype=np.int64)
    people, first = np.unique(chat.sender, return_index=True)
    spoke[people] = first
    naming = chat.last_naming_sender[i]
    lately = chat.minute[i] - chat.minute[np.maximum(i - 20, 0)]
    turns = np.cumsum(chat.first_of_run)
    columns = [
        previous < 0,
        _own_gap(chat)[i],
        np.where(previous >= 0, np.log1p(i - previous) / 4, 0.0),
        to >= 0,
        (to >= 0) & (spoke[to] < i),
        (naming >= 0) & (i - naming <= 20),
        np.log1p(lately) / 4 if chat.timed else np.zeros(len(i)),
        np.log1p(chat.said_before[i]) / 4,
        np.log1p(chat.addressed_before[i]) / 2,
        (turns[i] - turns[np.maximum(i - 20, 0)]) / 20,
    ]
    return np.stack(columns, axis=1).astype(np.float32)
