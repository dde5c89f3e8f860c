"""Exports that are tiny, broken, cut or strange: a clear answer, and no word lost."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import fabula
from fabula.assembly.pile import read_pile
from fabula.conversations import Message, thread, thread_messages
from fabula.errors import InputError
from fabula.text.io.readers.chat.export import read_chat


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


@pytest.mark.parametrize("name", CHATS)
def test_assemble_keeps_every_word_and_sender(name: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(CHATS[name], encoding="utf-8")
    documents = list(read_pile(path))
    account = fabula.assemble(documents)
    placed = [p for story in account.stories for p in story.sentences]
    by_message = {(d.line, d.extra["sender"]): d.text.split() for d in documents}
    for (line, sender), words in by_message.items():
        last = min((at for at, _ in by_message if at > line), default=10**9)
        mine = [p for p in placed if p.sender == sender and line <= p.sentence.line < last]
        assert [word for p in mine for word in p.sentence.text.split()] == words
    assert sum(len(d.text.split()) for d in documents) == sum(
        len(p.sentence.text.split()) for p in placed
    )
    assert len(account.aside) == sum(len(d.aside) for d in documents)


def test_a_hundred_thousand_messages_are_read_in_order(tmp_path: Path) -> None:
    start = datetime(2020, 12, 13)
    path = tmp_path / "chat.txt"
    with path.open("w", encoding="utf-8") as file:
        for n in range(100_000):
            sent = start + timedelta(minutes=n)
            file.write(f"{sent:%d/%m/%Y, %H:%M} - {'ab'[n % 2]}nn: message {n}\n")
    chat = read_chat(path)
    assert chat is not None and chat.notes == ()
    assert [m.text for m in chat.messages] == [f"message {n}" for n in range(100_000)]
    assert chat.messages[-1].time == (start + timedelta(minutes=99_999)).isoformat()


def test_a_pile_of_too_many_messages_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fabula.assembly.pile.MOST_SENTENCES", 3)
    path = tmp_path / "chat.txt"
    path.write_text(CHATS["no times"], encoding="utf-8")
    with pytest.raises(InputError, match="more than 3 sentences; split it"):
        fabula.assemble(list(read_pile(path)))


def test_a_long_chat_has_an_answer_for_each_message() -> None:
    # More than the networks score at once, and than the window of candidates.
    messages = [
        Message(n, f"{'why' if n % 3 else 'because'} {n % 50}?", "abc"[n % 3] * 3, None)
        for n in range(1_100)
    ]
    answer = thread(messages)
    assert len(answer.labels) == len(answer.links or ()) == 1_100
    assert all(earlier <= n for n, earlier in enumerate(answer.links or ()))


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
