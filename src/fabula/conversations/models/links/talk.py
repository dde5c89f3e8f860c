"""Who talks with whom, and when: lookups of people at each message of a chat.

Two people talk where one names the other. All take arrays of one shape and look them up at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.chat_index import ChatIndex, pair_key

__all__ = ["messages_since_talk", "messages_until_talk", "next_message_by", "partner_of"]

Ints = NDArray[np.int64]


def messages_since_talk(chat: ChatIndex, i: Ints, one: Ints, other: Ints) -> Ints:
    """Messages since the two last named one another, before message i; n + 1 where never."""
    n = len(chat)
    base = pair_key(one, other, chat.people) * (n + 1)
    place = np.searchsorted(chat.exchanges, base + i) - 1
    if not len(chat.exchanges):
        return np.full(base.shape, n + 1)
    key = chat.exchanges[np.maximum(place, 0)]
    known = (place >= 0) & (key >= base)
    return np.where(known, i - (key - base), n + 1)


def messages_until_talk(chat: ChatIndex, i: Ints, one: Ints, other: Ints) -> Ints:
    """Messages until the two next name one another, after message i; n + 1 where never."""
    n = len(chat)
    base = pair_key(one, other, chat.people) * (n + 1)
    place = np.searchsorted(chat.exchanges, base + i, side="right")
    position = np.append(chat.exchanges, -1)[place] - base
    return np.where((position >= 0) & (position < n), position - i, n + 1)


def next_message_by(chat: ChatIndex, after: Ints, person: Ints) -> Ints:
    """The next message of the person after the given one, n where there is none."""
    n = len(chat)
    place = np.searchsorted(chat.sent, person * (n + 1) + after, side="right")
    key = np.append(chat.sent, -1)[place] - person * (n + 1)
    return np.where((key >= 0) & (key < n), key, n)


def partner_of(chat: ChatIndex, i: Ints, person: Ints, later: bool) -> Ints:
    """With whom the person talked last before message i, or talks next after it; -1 where never."""
    n = len(chat)
    keys, others = chat.partners
    if not len(keys):
        return np.full(person.shape, -1)
    base = person * (n + 1)
    if later:
        place = np.searchsorted(keys, base + i, side="right")
        known = place < len(keys)
    else:
        place = np.searchsorted(keys, base + i) - 1
        known = place >= 0
    place = np.clip(place, 0, len(keys) - 1)
    known &= (keys[place] >= base) & (keys[place] < base + n)
    return np.where(known, others[place], -1)
