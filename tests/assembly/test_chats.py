"""A chat in assemble: senders are speakers, and pages show a conversation as one."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import fabula
from fabula.assembly import Assembly
from fabula.assembly.pile import read_pile
from fabula.assembly.render.formats import to_html, to_markdown
from fabula.assembly.render.terminal import to_terminal

SIGNAL = """[2024-03-11 18:30:00] Ann Lee: The fire at the mill in Wenlow hurt four people Monday.
[2024-03-11 18:35:00] Bob Ray:
> The fire at the mill in Wenlow hurt four people Monday.

No, the fire at the mill in Wenlow hurt six people on Monday.
[2024-03-11 18:40:00] Ann Lee: I saw <b>three</b> engines and you, Bob, were not at the mill at all.
"""


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    path: Path = tmp_path_factory.mktemp("chat") / "chat.md"
    path.write_text(SIGNAL, encoding="utf-8")
    return fabula.assemble(list(read_pile(path)))


def test_the_speakers_of_a_contradiction_are_the_senders(account: Assembly) -> None:
    (found,) = account.contradictions
    assert {(side.value, side.speaker) for side in found.sides} == {
        ("four people", "Ann Lee"), ("six people", "Bob Ray"),
    }  # fmt: skip


def test_i_is_the_sender(account: Assembly) -> None:
    (seen,) = [d for story in account.stories for d in story.deeds if d.verb == "see"]
    assert seen.doer == "Ann Lee"


def test_the_page_shows_a_conversation(account: Assembly) -> None:
    page = to_html(account)
    assert '<span class="said">Ann Lee <small><time>11 March 2024 18:30</time>' in page
    assert "↳ 1 Ann Lee: The fire at the mill" in page  # what Bob answers
    assert "&lt;b&gt;three&lt;/b&gt;" in page and "<b>three</b>" not in page


def test_reports_tell_what_a_message_answers(account: Assembly) -> None:
    assert "2. **Bob Ray ↳ 1:** No, the fire" in to_markdown(account)
    console = Console(width=200, file=StringIO(), force_terminal=False)
    console.print(to_terminal(account))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Bob Ray ↳ 1: No, the fire" in shown
    assert "↳ answers the message of that number" in shown


def test_messages_that_tell_nothing_are_no_rows_of_the_timeline(tmp_path: Path) -> None:
    lines = [
        ("18:30", "Ann", "The ferry Orla Maid has hit the rocks off the island of Hallan."),
        ("18:31", "Bob", "WHAT?"),
        ("18:32", "Cem", "The crew of the ferry Orla Maid are handing out life jackets to us all."),
        ("18:33", "Bob", "Yes."),
        ("18:34", "Dee", "The lifeboat of Hallan has taken the children off the ferry Orla Maid."),
        ("18:35", "Ann", "Boats from the island have brought the passengers of the ferry ashore."),
    ]
    path = tmp_path / "chat.txt"
    path.write_text("".join(f"31/03/2024, {at} - {who}: {said}\n" for at, who, said in lines))
    account = fabula.assemble(list(read_pile(path)), stories=1)
    assert [entry.when for entry in account.timeline] == [
        f"31 March 2024 {at}" for at, _, said in lines if len(said) > 9
    ]
    assert account.undated.events == ()


def test_messages_are_in_the_order_sent(account: Assembly) -> None:
    (story,) = account.stories
    assert [placed.sender for placed in story.sentences] == ["Ann Lee", "Bob Ray", "Ann Lee"]
    assert [placed.answers for placed in story.sentences] == [None, 1, None]
