"""What programs write besides plain messages, and exports in several files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.text.io.readers.chat.test_exports import (
    DISCORD,
    SLACK,
    TELEGRAM,
    chat_of,
    documents,
)

from fabula.conversations import thread_messages
from fabula.conversations.build import build_conversations
from fabula.errors import InputError


def test_a_slack_message_without_text_has_that_of_its_blocks_and_attachments(
    tmp_path: Path,
) -> None:
    said = [{"type": "text", "text": "errors since "}, {"type": "user", "user_id": "U2"},
            {"type": "emoji", "name": "fire"}, {"type": "link", "url": "https://a.b"}]  # fmt: skip
    block = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": said}]}
    header = {"type": "header", "text": {"type": "plain_text", "text": "Alert"}}
    alert = {"fallback": "x", "title": "db-3", "text": "disk 95% full",
             "fields": [{"title": "Host", "value": "db-3"}]}  # fmt: skip
    preview = {"from_url": "https://a.b", "text": "A page."}
    rows: list[dict[str, Any]] = [
        {"type": "message", "user": "U1", "text": "", "blocks": [header, block]},
        {"type": "message", "subtype": "bot_message", "text": "", "attachments": [alert]},
        {"type": "message", "user": "U1", "text": "<!here> see <!subteam^S1|@team>",
         "attachments": [preview]},
    ]  # fmt: skip
    chat = chat_of(
        tmp_path, "x.json", [{**row, "ts": f"135551752{n}.0"} for n, row in enumerate(rows)]
    )
    assert [m.text for m in chat.messages] == [
        "Alert\nerrors since @U2:fire:https://a.b", "db-3\ndisk 95% full\nHost: db-3",
        "@here see @team",
    ]  # fmt: skip


def test_a_reply_of_slacks_interface_is_a_chat(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, "history.json", {"ok": True, "messages": SLACK[::-1]})
    assert [m.sender for m in chat.messages] == ["U2", None, "U1"]


def test_the_days_of_a_slack_channel_are_one_chat(tmp_path: Path) -> None:
    folder = tmp_path / "general"
    folder.mkdir()
    chat_of(folder, "2012-12-14.json", SLACK)
    later = {"type": "message", "user": "U1", "text": "still there?", "ts": "1355607523.0",
             "thread_ts": "1355517523.000005"}  # fmt: skip
    chat_of(folder, "2012-12-15.json", [later])
    days = [documents(folder / f"2012-12-{day}.json") for day in (14, 15)]
    assert {d.extra["conversation_source"] for day in days for d in day} == {str(folder)}
    last = days[1][-1]
    turns = thread_messages([d for day in days for d in day])
    assert last.text == "still there?" and turns[-1].conversation == turns[0].conversation
    (chat,) = build_conversations([tmp_path])
    assert (chat.id, len(chat.messages)) == ("general", 4)


def test_discord_boxes_forwards_and_stickers(tmp_path: Path) -> None:
    box = {
        "title": "Status",
        "description": "2 online",
        "fields": [{"name": "Map", "value": "Delta"}],
    }
    rows: list[dict[str, Any]] = [
        {"content": "", "embeds": [box]},
        {"content": "", "forwardedMessage": {"content": "Down on Friday"},
         "reference": {"type": "Forward", "messageId": "900"}},
        {"content": "", "stickers": [{"name": "wave"}]},
        {"content": "see https://a.b", "embeds": [box]},
    ]  # fmt: skip
    shared = {"type": "Default", "timestamp": "2021-01-01T10:00:00Z", "author": {"name": "ann"}}
    messages = [{"id": str(number), **shared, **row} for number, row in enumerate(rows)]
    chat = chat_of(tmp_path, "channel.json", dict(DISCORD, messages=messages))
    assert [(m.text, m.reply_to, m.media) for m in chat.messages] == [
        ("Status\n2 online\nMap: Delta", None, False), ("Down on Friday", None, False),
        ("<wave>", None, True), ("see https://a.b", None, False),
    ]  # fmt: skip


def test_telegram_messages_that_are_no_words(tmp_path: Path) -> None:
    poll = {"question": "Who?", "answers": [{"text": "Ann", "voters": 2}]}
    rows: list[dict[str, Any]] = [
        {"from": "Ann", "text": "", "poll": poll},
        {"from": "Ann", "text": "", "place_name": "Gate 2", "location_information": {}},
        {"from": "Ann", "text": "", "contact_information": {"first_name": "Bob", "last_name": ""}},
        {"from": None, "from_id": "user7", "text": "left long ago"},
        {
            "from": "Ann",
            "text": "to another chat",
            "reply_to_message_id": 3,
            "reply_to_peer_id": "c5",
        },
        {"type": "service", "actor": "Ann", "action": "phone_call", "discard_reason": "missed"},
    ]
    shared = {"type": "message", "date": "2020-01-01T10:00:00"}
    messages = [{"id": number, **shared, **row} for number, row in enumerate(rows)]
    unsupported = {"id": 99, "type": "unsupported"}
    chat = chat_of(tmp_path, "result.json", dict(TELEGRAM, messages=[unsupported, *messages]))
    assert [(m.sender, m.text, m.reply_to) for m in chat.messages] == [
        ("Ann", "<poll: Who? Ann (2)>", None), ("Ann", "<location: Gate 2>", None),
        ("Ann", "<contact: Bob>", None), ("user7", "left long ago", None),
        ("Ann", "to another chat", None), (None, "Ann phone call missed", None),
    ]  # fmt: skip


def test_telegrams_own_escapes_do_not_end_the_export(tmp_path: Path) -> None:
    text = json.dumps(TELEGRAM, indent=1).replace('"see "', r'"bad\x1F and \\x1F "')
    chat = chat_of(tmp_path, "result.json", text)
    assert len(chat.messages) == 4 and chat.notes == ()
    assert chat.messages[1].text == "bad\x1f and \\x1F http://x.y"


def test_a_quotation_of_what_the_export_has_not_is_kept_beside(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path, "chat.md", "[2019-05-29 15:05:00] Ann: \n\n> We meet at nine.\n\nAt ten!\n"
    )
    assert [(m.line, m.sender, m.text, m.system) for m in chat.messages] == [
        (3, None, "We meet at nine.", True), (5, "Ann", "At ten!", False),
    ]  # fmt: skip


def test_a_damaged_file_of_a_folder_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chat_of(tmp_path, "a.txt", "31/12/20, 10:00 - Ann: hi\n")
    (tmp_path / "b.json").write_text('[{"a": ')
    (chat,) = build_conversations([tmp_path])
    assert chat.id == "a" and "b.json" in caplog.text
    with pytest.raises(InputError, match=r"b\.json"):
        list(build_conversations([tmp_path / "b.json"]))
