from __future__ import annotations

import numpy as np

from fabula.conversations.models.links.chat_index import index_chat
from fabula.conversations.models.links.talk import (
    messages_since_talk,
    messages_until_talk,
    next_message_by,
    partner_of,
)

# ann, bob, cem: numbers 0, 1, 2
CHAT = index_chat(
    ["ann", "bob", "cem", "ann", "bob"],
    ["is it on?", "ann: yes", "bob: no", "so?", "cem: well"],
    [None] * 5,
)
ANN, BOB, CEM, NEVER = (np.array([value]) for value in (0, 1, 2, 6))


def at(position: int) -> np.ndarray:
    return np.array([position])


def test_when_two_talk() -> None:
    assert messages_since_talk(CHAT, at(3), ANN, BOB) == 2
    assert messages_since_talk(CHAT, at(3), BOB, ANN) == 2  # whoever named whom
    assert messages_since_talk(CHAT, at(1), ANN, BOB) == NEVER  # not yet
    assert messages_since_talk(CHAT, at(4), ANN, CEM) == NEVER
    assert messages_until_talk(CHAT, at(0), ANN, BOB) == 1
    assert messages_until_talk(CHAT, at(1), ANN, BOB) == NEVER  # no more
    assert messages_until_talk(CHAT, at(2), BOB, CEM) == 2


def test_next_message() -> None:
    assert next_message_by(CHAT, at(0), ANN) == 3
    assert next_message_by(CHAT, at(3), ANN) == len(CHAT)


def test_partners() -> None:
    assert partner_of(CHAT, at(2), BOB, later=False) == ANN
    assert partner_of(CHAT, at(3), BOB, later=False) == CEM
    assert partner_of(CHAT, at(0), CEM, later=True) == BOB
    assert partner_of(CHAT, at(1), ANN, later=True) == -1
    alone = index_chat(["ann"], ["hello"], [None])
    assert partner_of(alone, at(0), ANN, later=True) == -1
