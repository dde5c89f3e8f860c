from __future__ import annotations

import pytest

from fabula.conversations.items import Conversation, Message
from fabula.conversations.models.by_sender import BySender
from fabula.conversations.models.single import Single
from fabula.conversations.models.time_gap import TimeGap
from fabula.errors import UsageError
from fabula.registry import create_model

CHAT = Conversation(
    "a",
    (
        Message(1, "one", "ann", "23:50"),
        Message(2, "two", "bob", "23:58"),
        Message(3, "left", None, None, system=True),
        Message(4, "three", "ann", "00:03"),
        Message(5, "four", "bob", "00:30"),
    ),
)


def test_baselines() -> None:
    assert Single().thread([CHAT])[0].labels == (0, 0, 0, 0, 0)
    assert BySender().thread([CHAT])[0].labels == (0, 1, 2, 0, 1)
    assert TimeGap(pause=10).thread([CHAT])[0].labels == (0, 0, 0, 0, 1)  # past midnight
    assert TimeGap(pause=6).thread([CHAT])[0].labels == (0, 1, 1, 1, 2)


def test_a_chat_without_times_is_one_conversation() -> None:
    chat = Conversation("a", (Message(1, "x", "ann"), Message(2, "y", "bob")))
    assert TimeGap().thread([chat])[0].labels == (0, 0)


def test_the_pause_is_an_argument() -> None:
    assert create_model("conversations", "time-gap:30").pause == 30.0
    with pytest.raises(UsageError, match="time-gap takes minutes"):
        create_model("conversations", "time-gap:soon")
