from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from fabula.conversations.items import (
    Conversation,
    Message,
    Threading,
    check,
    present,
    read_conversations,
    read_threading,
)
from fabula.errors import InputError, UsageError

ROW: dict[str, Any] = {
    "id": "a",
    "messages": [
        {"sender": "ann", "time": "10:00", "text": "hi", "line": 7},
        {"sender": None, "time": None, "text": "bob joined", "system": True},
        {"sender": "bob", "time": "10:01", "text": "hello", "reply_to": "x"},
    ],
    "labels": [0, 1, 0],
    "links": [[0, 0], [2, 0]],
    "channel": "#a",
}


def read(folder: Path, row: Any) -> Conversation:
    path = folder / "x.jsonl"
    path.write_text(json.dumps(row) + "\n")
    (chat,) = read_conversations(path)
    return chat


def test_a_row_and_back(tmp_path: Path) -> None:
    chat = read(tmp_path, ROW)
    assert chat.spoken == (0, 2) and chat.links == ((0, 0), (2, 0))
    assert chat.messages[0].line == 7 and chat.messages[2].line == 3
    assert chat.extra == {"channel": "#a"}
    assert read(tmp_path, chat.to_row()) == chat


def test_a_model_sees_no_gold(tmp_path: Path) -> None:
    chat = read(tmp_path, ROW)
    seen = present(chat, random.Random(0), {}).item
    assert (seen.labels, seen.links, seen.extra) == (None, None, {})
    assert seen.messages == chat.messages  # in the order sent


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"messages": []}, "a list of at least one message"),
        ({"messages": ["hi"]}, "message 1 must be an object"),
        ({"messages": [{"sender": "a"}]}, "'text' is missing"),
        ({"messages": [{"sender": ["a"], "text": ""}]}, "message 1: 'sender' must be a string"),
        ({"messages": [{"sender": "a", "text": 3}]}, "message 1: 'text' must be a string"),
        ({"labels": [0]}, "1 labels for 3 messages"),
        ({"labels": ["a", "b", "c"]}, "'labels' must be a list of whole numbers"),
        ({"links": [[9, 0]]}, r"a link names message \[9, 0\], outside 0..2"),
        ({"links": [3]}, "'links' must be pairs"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=rf"x\.jsonl:1: .*{problem}"):
        read(tmp_path, {**ROW, **change})


def test_answers_in_plain_values() -> None:
    chat = Conversation("a", (Message(1, "x"), Message(2, "y")))
    assert read_threading(chat, [4, 4]) == Threading((4, 4), (1.0, 1.0))
    row = {"labels": [0, 0], "links": [[1, 0]]}
    assert read_threading(chat, row).links == (0, 0)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="whole number"):
        read_threading(chat, [0, 0.5])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Threading((0,), (1.0,)), "has 2 messages; the model gave 1 labels"),
        (Threading((0, 0), (1.0, 2.0)), "outside 0..1"),
        (Threading((0, 0), (1.0, 1.0), (0, 5)), "'links' must name"),
    ],
)
def test_a_bad_answer_is_refused(answer: Threading, problem: str) -> None:
    chat = Conversation("a", (Message(1, "x"), Message(2, "y")))
    with pytest.raises(UsageError, match=problem):
        check(chat, answer)
