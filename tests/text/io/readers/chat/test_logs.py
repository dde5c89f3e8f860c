"""Logs of IRC programs, and transcripts: a message a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.text.io.readers.chat.test_exports import chat_of


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "irssi.log",
            "--- Log opened Mon Jan 01 00:00:00 2018\n12:34 -!- ann [~a@b] has joined #c\n"
            "12:34 <@ann> hello\n12:35 < bob> hi\n12:36  * bob waves\n"
            "--- Day changed Tue Jan 02 2018\n00:01 <ann> new day\n",
            [("ann", "2018-01-01T12:34:00", "hello"), ("bob", "2018-01-01T12:35:00", "hi"),
             ("bob", "2018-01-01T12:36:00", "waves"), ("ann", "2018-01-02T00:01:00", "new day")],
        ),
        (
            "irc.weechatlog",
            "2018-01-01 12:34:56\t-->\tann (~a@b) has joined #c\n"
            "2018-01-01 12:34:57\t@ann\thello\n2018-01-01 12:35:57\t *\tbob waves\n",
            [("ann", "2018-01-01T12:34:57", "hello"), ("bob", "2018-01-01T12:35:57", "waves")],
        ),
        (
            "ubuntu.txt",
            "=== zul has left #ubuntu\n[03:21] <krischan> Hello everyone.\n[03:22] <bob2> hi\n",
            [("krischan", "03:21:00", "Hello everyone."), ("bob2", "03:22:00", "hi")],
        ),
        (
            "znc.log",
            "[12:34:56] *** Joins: ann (a@b)\n[12:34:57] <ann> hello\n[12:34:58] * ann waves\n",
            [("ann", "12:34:57", "hello"), ("ann", "12:34:58", "waves")],
        ),
        (
            "hexchat.log",
            "**** BEGIN LOGGING AT Sun Dec 31 23:50:01 2017\n\n"
            "Dec 31 23:50:05 *\tbob (~bob@host.example) has joined\n"
            "Dec 31 23:51:00 <ann>\tpacket loss?\nDec 31 23:53:00 *\tbob pings the router\n"
            "Jan 01 00:03:00 <bob>\tit is back\n**** ENDING LOGGING AT Mon Jan  1 00:10:00 2018\n",
            [("ann", "2017-12-31T23:51:00", "packet loss?"),
             ("bob", "2017-12-31T23:53:00", "pings the router"),
             ("bob", "2018-01-01T00:03:00", "it is back")],
        ),
        (
            "mirc.log",
            "Session Start: Mon Jan 01 23:58:00 2018\n[23:58] * bob (~b@h) has joined #c\n"
            "[23:59] <@ann> \x02late\x02, \x0304,01red\x03\n[00:01] * bob shrugs\n",
            [("ann", "2018-01-01T23:59:00", "late, red"), ("bob", "2018-01-02T00:01:00", "shrugs")],
        ),
        (
            "#c_20180101.log",
            "[12:34:56] *** Joins: ann (a@b)\n[12:34:57] <ann> hello\n",
            [("ann", "2018-01-01T12:34:57", "hello")],
        ),
        (
            "#c_20180101.log",  # the clock falls, so that it is not one day's
            "[12:34:56] *** Joins: ann (a@b)\n[12:34:57] <ann> hello\n[09:00:00] <ann> morning\n",
            [("ann", "12:34:57", "hello"), ("ann", "09:00:00", "morning")],
        ),
        ("plain.txt", "<ann> hello\n<bob> hi\n", [("ann", None, "hello"), ("bob", None, "hi")]),
        (
            "transcript.txt",
            "Ann Lee: Are you there?\nBob: Yes.\nand more\nAnn Lee: Good.\nBob: What is it?\n",
            [("Ann Lee", None, "Are you there?"), ("Bob", None, "Yes.\nand more"),
             ("Ann Lee", None, "Good."), ("Bob", None, "What is it?")],
        ),
        (
            "timed.txt",
            "[10:01] Ann: a\n[10:02] Bob: b\n[10:03] Ann: c\n[10:04] Bob: d\n",
            [("Ann", "10:01:00", "a"), ("Bob", "10:02:00", "b"), ("Ann", "10:03:00", "c"),
             ("Bob", "10:04:00", "d")],
        ),
    ],
)  # fmt: skip
def test_logs(tmp_path: Path, name: str, text: str, expected: list[tuple[Any, ...]]) -> None:
    chat = chat_of(tmp_path, name, text)
    spoken = [m for m in chat.messages if not m.system]
    assert [(m.sender, m.time, m.text) for m in spoken] == expected
    kept = "".join(m.text for m in chat.messages)
    marks = ("has joined", "has left", "Log opened", "Day changed", "Joins", "BEGIN", "ENDING",
             "Session Start")  # fmt: skip
    assert len(chat.messages) - len(spoken) == sum(mark in text for mark in marks), kept


@pytest.mark.parametrize(
    "text",
    [
        "10:01:12 From  Ann Lee  to  Everyone:\n\tCan you hear me?\n"
        "10:01:40 From  Bob  to  Everyone:\n\tyes\n\tand well\n",
        "10:01:12\t From Ann Lee : Can you hear me?\n"
        "10:01:40\t From Bob to Ann Lee (Privately) : yes\nand well\n",
        "10:01:12\tAnn Lee:\tCan you hear me?\n10:01:40\tBob:\tyes\nand well\n",
    ],
)
def test_zoom(tmp_path: Path, text: str) -> None:
    chat = chat_of(tmp_path, "meeting_saved_chat.txt", text)
    assert [(m.sender, m.time, m.text) for m in chat.messages] == [
        ("Ann Lee", "10:01:12", "Can you hear me?"), ("Bob", "10:01:40", "yes\nand well"),
    ]  # fmt: skip


def test_zooms_replies_and_reactions(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path,
        "chat.txt",
        "10:01:12 From Ann to Everyone:\n\tCan everybody hear\n\tme?\n"
        '10:01:40 From Bob to Everyone:\n\tReplying to "Can everybody hear..."\n\t\n\tyes\n'
        '10:01:50 From Cem to Everyone:\n\tReacted to "yes" with 👍\n'
        '10:02:00 From Cem to Everyone:\n\tReacted to "what was before" with 👍\n',
    )
    ann, bob, lost = chat.messages
    assert (bob.text, bob.line, bob.reply_to, bob.reactions) == ("yes", 7, ann.id, ("👍",))
    assert lost.system and "what was before" in lost.text


def test_addresses_are_names(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path,
        "pidgin.txt",
        "Conversation with bob@example.org at Mon 01 Jan 2018\n"
        "(10:00:12 AM) ann: there?\n(10:00:40 PM) bob@example.org: yes\n" * 2,
    )
    assert [m.sender for m in chat.messages if not m.system] == ["ann", "bob@example.org"] * 2
