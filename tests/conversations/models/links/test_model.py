from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabula.conversations import TASK
from fabula.conversations.items import Conversation, Message
from fabula.conversations.models.links.chat_index import index_chat
from fabula.conversations.models.links.decoding import decode
from fabula.conversations.models.links.features import NAMES, pair_features
from fabula.conversations.models.links.given import given_links, outside_threads
from fabula.conversations.models.links.model import Links
from fabula.conversations.models.links.training import antecedents
from fabula.errors import UsageError

PRINTER, KEYS = TASK.examples()


def column(name: str, chat: Conversation, late: int, early: int) -> float:
    messages = chat.messages
    index = index_chat(
        [m.sender for m in messages], [m.text for m in messages], [m.time for m in messages]
    )
    features, mask = pair_features(index, 0, len(messages), 5)
    assert mask[late, late - early] == 1 and mask[0, 1] == 0
    return float(features[late, late - early, NAMES.index(name)])


def test_features_of_a_pair() -> None:
    # 2 is "cem: ann: did you switch it off and on again?", 0 is ann's question.
    assert column("addresses sender", PRINTER, 2, 0) == 1
    assert column("addresses sender", PRINTER, 2, 1) == 0
    assert column("addresses another", PRINTER, 2, 1) == 1
    assert column("is addressed by it", PRINTER, 4, 2) == 1
    assert column("same sender", PRINTER, 4, 0) == column("own last message", PRINTER, 4, 0) == 1
    assert column("minutes <= 1", PRINTER, 2, 0) == 1 and column("minutes <= 0", PRINTER, 2, 0) == 0
    assert column("they have talked", PRINTER, 4, 2) == 1
    assert column("shared words", PRINTER, 4, 0) > 0  # offline
    assert column("its: ends with question mark", PRINTER, 2, 0) == 1
    assert column("own: first person", KEYS, 0, 0) == 1
    # ann has sent one message before her second and addressed nobody; cem, in between, nobody.
    assert column("log own messages", PRINTER, 4, 2) == pytest.approx(np.log1p(1) / 4)
    assert column("log own addressees", PRINTER, 4, 2) == 0
    assert column("log its sender's messages", PRINTER, 4, 2) == 0
    assert column("log turns between", PRINTER, 4, 2) == pytest.approx(np.log1p(2) / 2)


def test_what_comes_later_tells_whom_a_message_spoke_to() -> None:
    # "bob: it is the cable" has no name; bob's next message names ann, and she him.
    said = [
        ("ann", "my screen is dark"), ("cem", "no sound here"), ("bob", "it is the cable"),
        ("ann", "bob: which one?"), ("bob", "ann: the thick one"),
    ]  # fmt: skip
    chat = Conversation("x", tuple(Message(i, t, who, "10:00") for i, (who, t) in enumerate(said)))
    for name in ("addresses next", "next to name the sender", "they talk later"):
        assert column(name, chat, 2, 0) == 1 and column(name, chat, 2, 1) == 0
    for name in ("it is the next partner", "its next partner is the sender"):
        assert column(name, chat, 2, 0) == 1 and column(name, chat, 2, 1) == 0
    assert column("it is the partner", chat, 4, 3) == 1  # ann has just named bob
    assert column("another is next to name", chat, 2, 1) == 1
    assert column("log messages until they talk", chat, 2, 0) == pytest.approx(np.log1p(1) / 4)
    assert column("went on at once", chat, 1, 0) == 0


def test_a_bot_is_who_answers_requests() -> None:
    said = [("ann", "!dma"), ("bot", "dma is fast"), ("bob", "hm"), ("cem", "!usb"), ("bot", "usb")]
    chat = Conversation("x", tuple(Message(i, t, who) for i, (who, t) in enumerate(said)))
    assert column("answers requests", chat, 4, 3) > column("answers requests", chat, 2, 1)
    assert column("it answers requests", chat, 2, 1) == column("answers requests", chat, 4, 3)


def test_features_do_not_depend_on_the_block() -> None:
    messages = PRINTER.messages
    index = index_chat(
        [m.sender for m in messages], [m.text for m in messages], [m.time for m in messages]
    )
    whole, _ = pair_features(index, 0, 6, 5)
    part, _ = pair_features(index, 3, 6, 5)
    np.testing.assert_array_equal(whole[3:], part)


def test_conversations_by_probability_mass() -> None:
    rows = np.array(
        [[1, 0, 0, 0], [0.9, 0.1, 0, 0], [0.1, 0.0, 0.9, 0], [0.3, 0.31, 0.38, 0.01]],
        dtype=np.float32,
    )
    # Message 3: 0.31 + 0.01 for the conversation of 0 and 2, 0.38 for that of 1.
    answer = decode(rows)
    assert answer.labels == (0, 1, 0, 1) and answer.links == (0, 1, 0, 1)
    rows[3] = [0.3, 0.3, 0.2, 0.2]
    assert decode(rows).labels == (0, 1, 0, 0)  # 0.5 of two messages beats 0.3
    assert decode(rows, [None, None, None, 1]).labels == (0, 1, 0, 1)  # the export says so


def test_right_antecedents() -> None:
    assert antecedents([5, 5, 6], 2).astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]


def test_replies_and_threads_are_given() -> None:
    messages = [
        Message(1, "a", id="1"),
        Message(2, "b", id="2", thread="1"),
        Message(3, "c", id="3"),
        Message(4, "d", id="4", thread="1"),
        Message(5, "e", id="5", reply_to="3"),
        Message(6, "f", id="6", reply_to="gone"),
    ]
    assert given_links(messages) == [None, 0, None, 1, 2, None]


def test_who_writes_beside_a_thread_answers_nothing_in_it() -> None:
    messages = [
        Message(1, "a", thread="1"), Message(2, "b", thread="1"), Message(3, "c"),
        Message(4, "d", thread="1"), Message(5, "e"),
    ]  # fmt: skip
    shown = outside_threads(messages, np.full((5, 4), 0.25, dtype=np.float32))
    assert shown[2].tolist() == [0.25, 0.0, 0.25, 0.25]  # none, 1 (a reply), 0 (where it began)
    assert shown[3].tolist() == [0.25] * 4  # of the thread: its link is given
    assert shown[4].tolist() == [0.25, 0.0, 0.25, 0.0]


def test_shipped_weights_tell_two_conversations_apart() -> None:
    answer = Links().thread([PRINTER])[0]
    assert answer.labels == PRINTER.labels


def test_a_reply_is_taken_as_given() -> None:
    messages = list(PRINTER.messages)
    told = [Message(m.line, m.text, m.sender, m.time, id=str(i)) for i, m in enumerate(messages)]
    last = told[-1]
    told[-1] = Message(last.line, last.text, last.sender, last.time, reply_to="0")
    labels = Links().thread([Conversation("x", tuple(told))])[0].labels
    assert labels[5] == labels[0]


def test_system_lines_stay_out() -> None:
    lines = list(PRINTER.messages)
    lines.insert(1, Message(9, "=== eve has joined", None, None, system=True))
    labels = Links().thread([Conversation("x", tuple(lines))])[0].labels
    assert labels[1] not in labels[:1] + labels[2:]
    assert labels[:1] + labels[2:] == PRINTER.labels


@pytest.mark.parametrize(
    "messages",
    [
        [Message(1, "alone", "ann", "10:00")],
        [Message(1, "=== eve left", None, None, system=True)],
        [Message(i, "again", "ann", "10:00") for i in range(5)],
        [Message(i, "no time", "ab"[i % 2], None) for i in range(5)],
        [Message(i, "🎉", "ab"[i % 2], "broken") for i in range(5)],
        [Message(i, "", None, None) for i in range(3)],
        [Message(i, "שלום", "דוד", f"2020-01-0{i + 1}T10:00:00") for i in range(3)],
    ],
)
def test_odd_chats_have_an_answer(messages: list[Message]) -> None:
    chat = Conversation("x", tuple(messages))
    (answer,) = Links().thread([chat])
    TASK.check(chat, answer)


def test_untrainable() -> None:
    with pytest.raises(UsageError, match="has no labels"):
        Links().fit([Conversation("x", (Message(1, "a"),))])
    with pytest.raises(UsageError, match="no chat with a message"):
        Links().fit([Conversation("x", (Message(1, "a", system=True),), (0,))])


def test_training_goes_on_from_saved_weights(tmp_path: Path) -> None:
    messages = tuple(
        Message(place, f"line {place}", "ann" if place % 2 else "bob", "10:00")
        for place in range(8)
    )
    chat = Conversation("x", messages, (0, 1) * 4)
    first = Links(hidden=4, networks=1, epochs=1).fit([chat])
    first.save(tmp_path)
    still = Links(hidden=4, networks=1, epochs=1, rate=1e-12, start=str(tmp_path)).fit([chat])
    afresh = Links(hidden=4, networks=1, epochs=1, rate=1e-12).fit([chat])
    for name, array in first.weights_.items():
        assert np.allclose(array, still.weights_[name], atol=1e-3)
    assert not np.allclose(first.weights_["0.weight0"], afresh.weights_["0.weight0"], atol=1e-3)
