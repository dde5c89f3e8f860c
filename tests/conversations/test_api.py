from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.conversations import TASK, thread, thread_messages
from fabula.conversations.build import build_conversations
from fabula.conversations.clock import minutes
from fabula.conversations.stats import statistics
from fabula.errors import InputError
from fabula.text.io.readers.chat.export import read_messages
from fabula.types import Document

CHAT = """31/12/20, 10:00 - ann: does anyone know why the printer is offline?
31/12/20, 10:01 - bob: who wants to come to lunch at noon?
31/12/20, 10:01 - cem: ann: did you switch it off and on again?
31/12/20, 10:02 - dee: bob: i do, where do we meet?
31/12/20, 10:03 - ann: cem: yes, it still says offline
31/12/20, 10:04 - bob: dee: at the door, a quarter to
"""


def documents(path: Path) -> list[Document]:
    messages = read_messages(path)
    assert messages is not None
    return list(messages)


def conversations(messages: list[Document]) -> list[int]:
    return [turn.conversation for turn in thread_messages(messages)]


def test_thread_takes_messages_in_three_forms(tmp_path: Path) -> None:
    messages = TASK.examples()[0].messages
    answer = thread(messages)
    assert answer.labels == (0, 1, 0, 1, 0, 1)
    assert answer.links is not None and answer.links[2] == 0
    assert thread([message.to_row() for message in messages]) == answer
    path = tmp_path / "chat.txt"
    path.write_text(CHAT)
    assert thread(documents(path)).labels == answer.labels
    assert thread([]).labels == ()


def test_exports_are_threaded_apart(tmp_path: Path) -> None:
    messages = []
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(CHAT)
        messages += documents(tmp_path / name)
    assert conversations(messages) == [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3]
    turned = [message for pair in zip(messages[:6], messages[6:], strict=True) for message in pair]
    assert conversations(turned)[::2] == [0, 1, 0, 1, 0, 1]


def test_reports_are_left_to_the_stories() -> None:
    def message(number: int, text: str, **extra: str) -> Document:
        told = {"chat": True, "sender": "Ann", "time": None, **extra}
        return Document(f"c:{number}", (text,), source="c", line=number, extra=told)

    reports = [
        message(1, "The mill on the river burned down in the night and nobody was hurt there."),
        message(2, "A tanker ran aground off the northern cape while its crew of nine slept."),
        message(3, "The fire brigade of three towns came too late to save the old mill wheel."),
        message(4, "The owner said that the wheel could be built again.", reply_to="c:1"),
    ]
    assert conversations(reports) == [0, 1, 2, 0]


def test_turns_tell_who_is_answered_and_addressed(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(CHAT)
    turns = thread_messages(documents(path))
    assert [turn.answers for turn in turns] == [None, None, 0, 1, 2, 3]
    assert [turn.addressee for turn in turns] == [None, None, "ann", "bob", "cem", "dee"]


def test_of_two_people_each_speaks_to_the_other() -> None:
    def message(sender: str) -> Document:
        told = {"chat": True, "sender": sender, "time": None}
        return Document(sender, ("Are you there?",), source="c", extra=told)

    turns = thread_messages([message("Ann"), message("Bob")])
    assert [turn.addressee for turn in turns] == ["Bob", "Ann"]


def test_newest_first_is_turned_round(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("".join(reversed(CHAT.splitlines(keepends=True))))
    turns = thread_messages(documents(path))
    assert [turn.answers for turn in turns] == [2, 3, 4, 5, None, None]  # counted as given
    (chat,) = build_conversations([path])
    assert [m.sender for m in chat.messages] == ["ann", "bob", "cem", "dee", "ann", "bob"]


def test_build_from_exports(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CHAT)
    (tmp_path / "notes.txt").write_text("Nothing here is a chat.\n")
    (chat,) = build_conversations([tmp_path])
    assert [m.sender for m in chat.messages] == ["ann", "bob", "cem", "dee", "ann", "bob"]
    assert chat.labels is None
    assert json.loads(json.dumps(chat.to_row()))["messages"][0]["time"] == "2020-12-31T10:00:00"
    with pytest.raises(InputError, match=r"notes\.txt: is no chat export"):
        list(build_conversations([tmp_path / "notes.txt"]))


def test_statistics() -> None:
    counts = statistics(TASK.examples())
    assert (counts["chats"], counts["messages"], counts["system_lines"]) == (2, 9, 0)
    assert counts["conversations_per_chat"] == 1.5
    assert counts["conversations_at_once"] == (5 + 5 + 3) / 9


def test_minutes() -> None:
    days = ["2020-12-31T23:59:30", None, "2021-01-01T00:01:00"]
    assert minutes(days) is not None and list(minutes(days)) == [0, 0, 2]  # type: ignore[arg-type]
    assert minutes([None, "soon"]) is None
