"""Other programs' exports, in the forms those programs (or their exporters) write."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.fuzz import retyped
from tests.attacks.small_files import JSON_FILES

from fabula.errors import InputError
from fabula.text.io.readers.chat.export import read_chat, read_messages
from fabula.text.io.readers.chat.message import Chat
from fabula.types import Aside, Document

TELEGRAM = {
    "name": "Fam",
    "type": "private_group",
    "id": 1,
    "messages": [
        {"id": 1, "type": "service", "date": "2020-01-01T10:00:00", "actor": "Ann",
         "action": "create_group", "title": "Fam", "text": ""},
        {"id": 2, "type": "message", "date": "2020-01-01T10:01:00", "from": "Ann",
         "text": ["see ", {"type": "link", "text": "http://x.y"}]},
        {"id": 3, "type": "message", "date": "2020-01-01T10:02:00", "from": "Bob", "text": "ok",
         "reply_to_message_id": 2, "reactions": [{"type": "emoji", "count": 2, "emoji": "👍"}]},
        {"id": 4, "type": "message", "date": "2020-01-01T10:02:00", "from": "Bob", "text": "",
         "photo": "x.jpg"},
    ],
}  # fmt: skip
DISCORD = {
    "guild": {"id": "1", "name": "g"},
    "channel": {"id": "2", "type": "GuildTextChat", "name": "c"},
    "dateRange": {"after": None, "before": None},
    "messages": [
        {"id": "9", "type": "Default", "timestamp": "2021-01-01T10:00:00.123+00:00",
         "content": "hi", "author": {"id": "1", "name": "ann", "nickname": "Ann", "isBot": False},
         "attachments": [], "embeds": [], "stickers": [], "reactions": [], "mentions": []},
        {"id": "10", "type": "Reply", "timestamp": "2021-01-01T12:01:00+02:00", "content": "yo",
         "author": {"name": "bob"}, "reactions": [{"emoji": {"name": "👍"}, "count": 2}],
         "reference": {"messageId": "9", "channelId": "2", "guildId": "1"}},
        {"id": "11", "type": "GuildMemberJoin", "timestamp": "2021-01-01T10:02:00+00:00",
         "content": "Joined the server.", "author": {"name": "cem"}},
    ],
    "messageCount": 3,
}  # fmt: skip
SLACK = [
    {"type": "message", "user": "U1", "text": "hi <@U2> &lt;3 <https://a.b|there>",
     "ts": "1355517523.000005"},
    {"type": "message", "subtype": "channel_join", "user": "U2", "text": "<@U2> has joined",
     "ts": "1355517524.000005"},
    {"type": "message", "user": "U2", "text": "yo", "ts": "1355517525.000005",
     "thread_ts": "1355517523.000005", "reactions": [{"name": "+1", "users": ["U1"], "count": 1}]},
]  # fmt: skip
HTML = """<!DOCTYPE html>
<html><body><div class="page_wrap"><div class="history">
<div class="message service" id="message-1"><div class="body details">1 January 2020</div></div>
<div class="message default clearfix" id="message12">
 <div class="body">
  <div class="pull_right date details" title="01.02.2020 12:00:00 UTC+01:00">12:00</div>
  <div class="from_name">Ann</div>
  <div class="text">Hello<br>there</div>
  <span class="reactions"><span class="reaction"><span class="emoji">👍</span></span></span>
 </div></div>
<div class="message default clearfix joined" id="message13">
 <div class="body"><div class="pull_right date details" title="01.02.2020 12:01:00">12:01</div>
 <div class="reply_to details">In reply to <a href="#go_to_message12">this message</a></div>
 <div class="text">more</div></div></div>
</div></div></body></html>
"""


def chat_of(folder: Path, name: str, content: Any) -> Chat:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    path.write_text(text, encoding="utf-8")
    chat = read_chat(path)
    assert chat is not None
    return chat


def documents(path: Path) -> list[Document]:
    messages = read_messages(path)
    assert messages is not None
    return list(messages)


def test_telegram_json(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, "result.json", TELEGRAM)
    assert [(m.line, m.sender, m.text, m.system, m.media) for m in chat.messages] == [
        (6, None, "Ann create group Fam", True, False),
        (15, "Ann", "see http://x.y", False, False),
        (28, "Bob", "ok", False, False),
        (43, "Bob", "<photo>", False, True),
    ]
    first, second = documents(tmp_path / "result.json")
    assert second.extra["reply_to"] == first.id
    assert second.extra["reactions"] == ["👍", "👍"]
    assert first.aside == (Aside("notice", "Ann create group Fam", 6),)
    assert second.aside == (Aside("attachment", "<photo>", 43),)


def test_a_telegram_account_has_several_chats(tmp_path: Path) -> None:
    everything = {"about": "x", "chats": {"list": [TELEGRAM, {**TELEGRAM, "name": "Work"}]}}
    path = tmp_path / "result.json"
    path.write_text(json.dumps(everything))
    found = documents(path)
    assert {d.extra["conversation_source"] for d in found} == {f"{path}#Fam", f"{path}#Work"}
    assert len({d.id for d in found}) == 4  # though all stand on one line
    assert found[3].extra["reply_to"] == found[2].id


def test_telegram_html(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, "messages.html", HTML)
    assert [(m.line, m.sender, m.time, m.text, m.reply_to) for m in chat.messages] == [
        (3, None, None, "1 January 2020", None),
        (4, "Ann", "2020-02-01T12:00:00", "Hello\nthere", None),
        (11, "Ann", "2020-02-01T12:01:00", "more", "12"),
    ]
    assert chat.messages[1].reactions == ("👍",)


def test_another_page_is_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html><body><p>Ann: hi</p></body></html>")
    assert read_chat(path) is None


def test_discord(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, "channel.json", DISCORD)
    assert [(m.sender, m.time, m.reply_to, m.system) for m in chat.messages] == [
        ("Ann", "2021-01-01T10:00:00", None, False),
        ("bob", "2021-01-01T10:01:00", "9", False),
        (None, "2021-01-01T10:02:00", None, True),
    ]


def test_slack(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text(
        json.dumps([{"id": "U1", "name": "ann"}, {"id": "U2", "profile": {"real_name": "Bob"}}])
    )
    (tmp_path / "general").mkdir()
    chat = chat_of(tmp_path / "general", "2012-12-14.json", SLACK)
    assert [(m.sender, m.text, m.thread, m.system) for m in chat.messages] == [
        ("ann", "hi @Bob <3 there", None, False),
        (None, "@Bob has joined", None, True),
        ("Bob", "yo", "1355517523.000005", False),
    ]
    assert chat.messages[2].reactions == (":+1:",)


def test_signal_export(tmp_path: Path) -> None:
    markdown = (
        "[2019-05-29 15:04:10] Me: How is everyone?  \n(- Ann: 👍, Bob: 😀 -)\n"
        "[2019-05-29 15:05:00] Ann: \n\n> How is everyone?\n\nFine  \n"
        "[2019-05-29, 15:06] Ann: ![a.jpg](./media/a.jpg)  \n"
    )
    rows = [
        {"date": "2019-05-29T15:04:10", "sender": "Me", "body": "How is everyone?  ", "quote": "",
         "sticker": None, "reactions": [["Ann", "👍"], ["Bob", "😀"]], "attachments": []},
        {"date": "2019-05-29T15:05:00", "sender": "Ann", "body": "Fine  ", "sticker": None,
         "quote": "\n\n> How is everyone?\n\n", "reactions": [], "attachments": []},
        {"date": "2019-05-29T15:06:00", "sender": "Ann", "body": "  ", "sticker": None,
         "quote": "", "reactions": [], "attachments": [{"name": "a.jpg", "path": "media/a.jpg"}]},
    ]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for chat in (
        chat_of(tmp_path, "chat.md", markdown),
        chat_of(tmp_path, "data.json", lines),
    ):
        assert [(m.sender, m.time, m.media) for m in chat.messages] == [
            ("Me", "2019-05-29T15:04:10", False),
            ("Ann", "2019-05-29T15:05:00", False),
            ("Ann", "2019-05-29T15:06:00", True),
        ]
        assert [m.text for m in chat.messages[:2]] == ["How is everyone?", "Fine"]
        assert chat.messages[0].reactions == ("👍", "😀")
        assert chat.messages[1].reply_to == chat.messages[0].id


def test_markdown_is_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("Ann: a\nBob: b\nAnn: c\nBob: d\n")
    assert read_chat(path) is None


@pytest.mark.parametrize(
    "text",
    [
        "The mill burned at 12:30.\n\nNote: nobody was hurt.\n",
        "Subject: mill\nFrom: Ann\nTo: Bob\nDate: Monday\n\nIt burned.\n",
        "Flour: a kilo\nSugar: a spoon\nEggs: two\nSalt: a bit\n",
        "",
        "\n\n",
        "<p>not irc</p>\n",
    ],
)
def test_documents_are_no_chats(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert read_chat(path) is None


def test_a_message_keeps_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("31/12/20, 10:00 - Ann: One.\nTwo.\n\nThree.\n31/12/20, 10:01 - Bob: Four.\n")
    first, second = documents(path)
    assert (first.lines, second.lines, second.date) == ((1, 4), (5,), "2020-12-31")
    assert first.extra["conversation_source"] == str(path)


def test_items_of_the_task_are_chats(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    row = {"id": "a", "messages": [{"sender": "Ann", "time": "10:00", "text": "hi"}]}
    path.write_text("".join(json.dumps({**row, "id": name}) + "\n" for name in "ab"))
    sources = [d.extra["conversation_source"] for d in documents(path)]
    assert sources == [f"{path}#a", f"{path}#b"]


def test_a_chat_of_nothing_but_notices_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("31/12/20, 10:00 - Ann: <Media omitted>\n31/12/20, 10:01 - Bob left\n")
    assert [d.text for d in documents(path)] == ["<Media omitted>", "Bob left"]


def test_an_export_cut_in_the_middle(tmp_path: Path) -> None:
    text = json.dumps(TELEGRAM, indent=1)
    chat = chat_of(tmp_path, "result.json", text[: text.index('"photo"')])
    assert len(chat.messages) == 3
    assert chat.notes == ("the export ends in the middle of a message; 3 before it were read",)


@pytest.mark.parametrize("end", ["3 left", '"ts"', "}", "},"])
def test_a_slack_export_cut_in_the_middle(tmp_path: Path, end: str) -> None:
    rows = [
        {"type": "message", "text": f"The ferry {n} left.", "user": "U1", "ts": f"162123480{n}.01"}
        for n in range(5)
    ]
    text = json.dumps(rows, indent=1)
    cut = text.index(end, text.index("3 left")) + len(end)
    chat = chat_of(tmp_path, "2021-05-17.json", text[:cut])
    assert [m.text for m in chat.messages[:3]] == [f"The ferry {n} left." for n in range(3)]
    (note,) = chat.notes
    assert note == (
        f"the export ends in the middle of a message; {len(chat.messages)} before it were read"
    )


def test_a_name_does_not_run_over_lines(tmp_path: Path) -> None:
    text = (
        "31/12/20, 10:00 - Ann: hi\n31/12/20, 10:02 -\n31/12\n, - : x\n31/12/20, 10:03 - Bob: ho\n"
    )
    chat = chat_of(tmp_path, "chat.txt", text)
    assert [(m.sender, m.system) for m in chat.messages] == [
        ("Ann", False), (None, True), ("Bob", False),
    ]  # fmt: skip
    assert chat.messages[1].text == "\n31/12\n, - : x"


@pytest.mark.parametrize("name", ["مريم", "דוד", "🦊", "Ann‏"])
def test_names_and_texts_of_any_script(tmp_path: Path, name: str) -> None:
    chat = chat_of(tmp_path, "chat.txt", f"31/12/20, 10:00 - {name}: 🎉🎉\n")
    assert (chat.messages[0].sender, chat.messages[0].text) == (name.strip("‏"), "🎉🎉")


@pytest.mark.parametrize("name", JSON_FILES)
def test_fields_of_another_type_count_as_absent(tmp_path: Path, name: str) -> None:
    generator = random.Random(name)
    path = tmp_path / name
    for _ in range(120):
        path.write_text(json.dumps(retyped(JSON_FILES[name], generator)))
        with suppress(InputError):  # a time that is none is an error of its line
            list(read_messages(path) or ())


@pytest.mark.parametrize("users", ["[" * 100_000, "{", "[1, null]", '[{"profile": 3}]', "\0"])
def test_a_damaged_list_of_slack_users_leaves_their_ids(tmp_path: Path, users: str) -> None:
    (tmp_path / "users.json").write_text(users)
    folder = tmp_path / "general"
    folder.mkdir()
    chat = chat_of(folder, "2012-12-14.json", SLACK)
    assert [m.sender for m in chat.messages] == ["U1", None, "U2"]


def test_half_a_surrogate_pair_is_replaced_and_noted(tmp_path: Path) -> None:
    row = TELEGRAM["messages"][2]  # type: ignore[index]
    export = {
        **TELEGRAM,
        "messages": [{**row, "from": "B\ud800b", "text": "ok \udfff \ud83d\ude00"}],
    }
    chat = chat_of(tmp_path, "result.json", export)
    assert [(m.sender, m.text) for m in chat.messages] == [("B\ufffdb", "ok \ufffd \U0001f600")]
    assert chat.notes == ("1 character that no text can hold became U+FFFD",)
