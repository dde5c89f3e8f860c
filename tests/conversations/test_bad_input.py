"""Exports that are tiny, broken, cut or strange: a clear answer, and no word lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabula
from fabula.assembly.pile import read_pile
from fabula.conversations import thread_messages


def line(minute: int, sender: str, text: str) -> str:
    return f"31/12/2020, 10:{minute:02d} - {sender}: {text}\n"


CHATS = {
    "one message": line(1, "Ann", "The ferry sank."),
    "one sender": line(1, "Ann", "The ferry left.") + line(2, "Ann", "It sank."),
    "no times": "Ann: The ferry left.\nBob: Did it?\nAnn: It sank.\nBob: Oh no.\n",
    "broken lines": line(1, "Ann", "hi")
    + "  lost words\n31/12/2020, 10:02 -\n31/12/2020\n, - : \n99/99/9999, 77:88 - X: y\n"
    + line(5, "Bob", "The ferry sank.")
    + "[[[]]]",
    "emoji only": "".join(
        line(n, "Ann" if n % 2 else "Bob", "😀👍"[: n % 2 + 1]) for n in range(6)
    ),
    "right-to-left names": line(1, "אבי", "The ferry left.")
    + line(2, "\u202bمريم\u202c", "Where?"),
    "cut in a header": line(1, "Ann", "The ferry left.") + line(2, "Bob", "It sank.")[:9],
    "cut in a message": line(1, "Ann", "The ferry left.") + line(2, "Bob", "It sank.")[:30],
}


@pytest.mark.parametrize("name", CHATS)
def test_every_message_has_a_conversation_and_no_word_is_lost(name: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(CHATS[name], encoding="utf-8")
    documents = list(read_pile(path))
    turns = thread_messages(documents)
    assert len(turns) == len(documents) > 0
    assert {turn.conversation for turn in turns} <= set(range(len(documents)))
    kept = " ".join(
        part
        for document in documents
        for part in (
            str(document.extra["sender"]),
            document.text,
            *(a.text for a in document.aside),
        )
    )
    said = [row.split(": ", 1)[-1] for row in CHATS[name].splitlines() if " - X: " not in row]
    assert all(word in kept for row in said for word in row.split() if not row[0].isdigit())


def test_a_chat_of_emoji_is_one_account(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(CHATS["emoji only"], encoding="utf-8")
    account = fabula.assemble(list(read_pile(path)))
    assert sum(len(story.sentences) for story in account.stories) == 6
    assert account.timeline == ()  # nothing is told


def test_a_chat_without_times_is_one_document_without_a_date(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(CHATS["no times"], encoding="utf-8")
    account = fabula.assemble(list(read_pile(path)))
    assert account.undated.documents == (str(path),)
