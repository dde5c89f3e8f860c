"""The MCP server, called by the client of the mcp package over standard input and output."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from fabula.errors import InputError
from fabula.integrations.mcp_server import open_below

anyio = pytest.importorskip("anyio")
pytest.importorskip("mcp", reason='needs the extra "mcp"')


def _ask(folder: Path, calls: list[tuple[str, dict[str, Any]]]) -> tuple[set[str], list[Any]]:
    from mcp import Client, StdioServerParameters, stdio_client

    async def talk() -> tuple[set[str], list[Any]]:
        code = (
            "import sys; from fabula.cli import main; sys.argv = ['fabula', *sys.argv[1:]]; main()"
        )
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-c", code, "mcp", "--folder", str(folder), "--max-characters", "2000"],
            env=dict(os.environ),
        )
        async with Client(stdio_client(parameters)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            return names, [await client.call_tool(name, given) for name, given in calls]

    found: tuple[set[str], list[Any]] = anyio.run(talk)
    return found


def test_a_client_lists_and_calls_the_tools(tmp_path: Path) -> None:
    folder, secret = tmp_path / "open", tmp_path / "secret.txt"
    folder.mkdir()
    secret.write_text("The password is swordfish.")
    (folder / "a.txt").write_text("The bridge fell on 3 May 1999. Nobody was hurt.")
    (folder / "link.txt").symlink_to(secret)
    (folder / "sub").mkdir()
    (folder / "sub" / "a.txt").write_text("The bridge fell on 4 May 1999. Nobody was hurt.")
    items = [{"context": "", "options": ["a b", "c d"], "gold": n % 2} for n in range(30)]
    (folder / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    names, answers = _ask(
        folder,
        [
            ("times", {"text": "It fell on Monday.", "date": "1999-06-15"}),
            ("order", {"units": ["Then she drank it.", "Mara made tea."]}),
            ("assemble", {"files": ["a.txt"], "stories": 1}),
            ("assemble", {"files": ["../secret.txt"]}),
            ("contradictions", {"files": ["link.txt"]}),
            ("times", {"text": "x" * 2001}),
            ("contradictions", {"files": ["a.txt", "sub/a.txt"]}),
            ("audit", {"file": "items.jsonl"}),
            ("assemble", {"files": ["a.txt"] * 101}),
            ("assemble", {}),
            ("order", {"units": "no list"}),
            ("audit", {"file": "a.txt"}),
        ],
    )
    times, order, pile, outside, linked, long, clash, audit, many, *wrong = answers
    assert names == {"assemble", "order", "times", "contradictions", "audit"}
    assert json.loads(times.content[0].text)["times"][0]["value"] == "1999-06-14"
    assert json.loads(order.content[0].text)["order"] == [1, 0]
    (story,) = json.loads(pile.content[0].text)["stories"]
    assert [s["source"] for s in story["sentences"]] == ["a.txt", "a.txt"]
    (found,) = json.loads(clash.content[0].text)["contradictions"]
    assert {side["source"] for side in found["sides"]} == {"a.txt", "sub/a.txt"}
    assert json.loads(audit.content[0].text)["items"] == 30
    assert all(answer.is_error and str(tmp_path) not in answer.content[0].text for answer in wrong)
    for refused, why in (
        (outside, "outside"), (linked, "outside"), (long, "characters"), (many, "at most 100"),
    ):  # fmt: skip
        assert refused.is_error and why in refused.content[0].text
        assert "swordfish" not in refused.content[0].text


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../b.txt", "outside"), ("../gone.txt", "outside"), ("/etc/passwd", "outside"),
        ("gone.txt", "no such file"), (".", "not a file"), ("pipe", "not a file"),
        ("link", "outside"), ("up/b.txt", "outside"), ("a\0b", "no such file"),
    ],
)  # fmt: skip
def test_paths_that_are_refused(name: str, why: str, tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    (tmp_path / "b.txt").write_text("b")
    (folder / "link").symlink_to(tmp_path / "b.txt")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError, match=why):
        open_below(folder, name)
