"""Features of (message, earlier message) pairs: does the first answer or go on from the second?

Nothing here knows a word of a channel: people, times, distances, cues of form, and words shared
weighted by their rarity in the chat at hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.chat_index import ChatIndex
from fabula.conversations.models.links.dialogue_cues import CUES
from fabula.conversations.models.links.pair_columns import PAIR, pair_columns

__all__ = ["NAMES", "pair_features"]

Floats = NDArray[np.float32]
_OWN = (
    "first message", "log own gap", "log own distance", "addresses somebody", "addressee spoke",
    "named lately", "log rate", "log own messages", "log own addressees", "turns lately",
    "goes on at once", "went on at once", "log messages to own next", "log minutes to own next",
    "named later", "named before own next", "log messages until named", "addresses later",
    "answers requests", "log minutes since the one before", "log minutes to the next",
)  # fmt: skip
_OTHER = (
    "its first message", "it addresses somebody", "log its own gap", "log its sender's messages",
    "log its sender's addressees", "it goes on at once", "named before its sender's next",
    "it answers requests",
)  # fmt: skip
NAMES = (*PAIR, *_OWN, *(f"own: {c}" for c in CUES), *_OTHER, *(f"its: {c}" for c in CUES))


def pair_features(chat: ChatIndex, start: int, stop: int, window: int) -> tuple[Floats, Floats]:
    """Features of the messages ``start`` to ``stop``: messages x (1 + window) x features, and mask.

    Column 0 is the message itself (it starts a conversation); column d the message d before it.
    """
    i = np.arange(start, stop)[:, None]
    j = i - np.arange(1, window + 1)[None, :]
    exists = j >= 0
    j = np.maximum(j, 0)
    block = np.zeros((stop - start, window + 1, len(NAMES)), dtype=np.float32)
    columns = pair_columns(chat, i, j, start, stop, window)
    for number, column in enumerate(columns):
        block[:, 1:, number] = column
    block[:, 1:][~exists] = 0.0
    own = len(PAIR)
    block[:, :, own : own + len(_OWN)] = _own_columns(chat, start, stop)[:, None, :]
    own += len(_OWN)
    block[:, :, own : own + len(CUES)] = chat.cues[start:stop, None, :]
    own += len(CUES)
    for number, values in enumerate(_other_columns(chat)):
        block[:, 1:, own + number] = values[j]
    block[:, 1:, own + len(_OTHER) :] = chat.cues[j]
    block[:, 1:, own:][~exists] = 0.0
    mask = np.concatenate([np.ones((stop - start, 1), dtype=bool), exists], axis=1)
    return block, mask.astype(np.float32)


def _goes_on(chat: ChatIndex) -> NDArray[np.bool_]:
    """Whether the sender also sent the next message."""
    return np.asarray(chat.next_by_sender == np.arange(len(chat)) + 1) & (
        chat.next_by_sender < len(chat)
    )


def _own_gap(chat: ChatIndex) -> Floats:
    """Log minutes since the sender's last message."""
    previous = chat.previous_by_sender
    gap = chat.minute - chat.minute[np.maximum(previous, 0)]
    return np.where(previous >= 0, np.log1p(gap) / 4, 0.0).astype(np.float32)


def _other_columns(chat: ChatIndex) -> list[NDArray[Any]]:
    """The columns of ``_OTHER`` for every message, in its order."""
    return [
        chat.previous_by_sender < 0,
        chat.addressee >= 0,
        _own_gap(chat),
        np.log1p(chat.said_before) / 4,
        np.log1p(chat.addressed_before) / 2,
        _goes_on(chat),
        chat.next_naming_sender < chat.next_by_sender,
        chat.answers_requests,
    ]


def _own_columns(chat: ChatIndex, start: int, stop: int) -> Floats:
    """The columns of ``_OWN``, in its order."""
    i = np.arange(start, stop)
    previous = chat.previous_by_sender[i]
    to = chat.addressee[i]
    spoke = np.full(chat.people, len(chat), dtype=np.int64)
    people, first = np.unique(chat.sender, return_index=True)
    spoke[people] = first
    naming = chat.last_naming_sender[i]
    n = len(chat)
    following, named = chat.next_by_sender[i], chat.next_naming_sender[i]
    minute = np.append(chat.minute, 0.0)
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
        _goes_on(chat)[i],
        (previous >= 0) & (previous == i - 1),
        np.where(following < n, np.log1p(following - i) / 4, 0.0),
        np.where(following < n, np.log1p(np.maximum(minute[following] - minute[i], 0.0)) / 4, 0.0),
        named < n,
        (named < n) & (named < following),
        np.where(named < n, np.log1p(named - i) / 4, 0.0),
        chat.next_addressing[i] < n,
        chat.answers_requests[i],
        np.log1p(chat.minute[i] - chat.minute[np.maximum(i - 1, 0)]) / 2,
        np.log1p(chat.minute[np.minimum(i + 1, n - 1)] - chat.minute[i]) / 2,
    ]
    return np.stack(columns, axis=1).astype(np.float32)
