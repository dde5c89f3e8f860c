"""The options of ``fabula assemble``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.line import fabula, json_of

PILE = """The ferry left the harbour in thick fog.
Flour dust hung in the bakery at dawn.
The captain of the ferry sounded the horn.
The baker pulled the loaves from the bakery oven.
"""


@pytest.fixture
def pile(tmp_path: Path) -> Path:
    path = tmp_path / "pile.txt"
    path.write_text(PILE)
    return path


def test_corrections_previous_and_query(pile: Path, tmp_path: Path) -> None:
    before, after, fixes = (tmp_path / name for name in ("a.json", "b.json", "fixes.json"))
    assert fabula("assemble", pile, "-k", "2", "-o", before).exit_code == 0
    more = tmp_path / "more.txt"
    more.write_text("A gull sat on the ferry.\n")
    entry = {"do": "move", "sentence": {"line": 2, "source": str(pile)}, "to": "new"}
    fixes.write_text(json.dumps({"corrections": [entry]}))
    done = fabula("assemble", pile, more, "-k", "2", "--previous", before, "--corrections", fixes,
                  "--query", "the account in which bread is baked", "-o", after)  # fmt: skip
    assert done.exit_code == 0 and "What changed" in done.stdout
    data = json.loads(after.read_text())
    assert len(data["stories"]) == 3
    assert {c["text"] for c in data["changes"]} >= {"A gull sat on the ferry."}
    told = {s["id"]: s["text"] for st in data["stories"] for s in st["sentences"]}
    assert len(told) == 5
    best = next(s for s in data["stories"] if s["id"] == data["query"]["story"])
    assert any("baker" in s["text"] for s in best["sentences"])


def test_standard_input_and_a_chat(tmp_path: Path) -> None:
    data = json_of("assemble", "-", "-k", "1", stdin=PILE)
    assert len(data["stories"][0]["sentences"]) == 4
    chat = tmp_path / "chat.csv"
    day = "2024-03-11 "
    chat.write_text(f"sent,from,text\n{day}21:10,Ann,It burns.\n{day}21:00,Bob,Smoke!\n")
    data = json_of("assemble", chat, "-k", "1")
    told = [(s["text"], s["sender"], s["line"]) for s in data["stories"][0]["sentences"]]
    assert told == [("Smoke!", "Bob", 3), ("It burns.", "Ann", 2)]


@pytest.mark.parametrize("option", ["--corrections", "--previous"])
def test_a_file_that_is_something_else(pile: Path, option: str) -> None:
    done = fabula("assemble", pile, option, pile)
    assert done.exit_code == 2 and "pile.txt: not a" in done.output


def test_the_timeline_is_written_by_suffix_and_anchored(tmp_path: Path) -> None:
    pile = tmp_path / "pile.txt"
    pile.write_text("The mill burned on Tuesday.\n\nThe fire was out on Wednesday.\n", "utf-8")
    target = tmp_path / "mill.timeline.csv"
    assert fabula("assemble", pile, "--date", "2024-03-14", "-o", target).exit_code == 0
    assert "2024-03-12" in target.read_text("utf-8")
    assert fabula("assemble", pile, "--date", "14 March").exit_code == 2


def test_one_line_cannot_be_kept_apart(tmp_path: Path) -> None:
    pile = tmp_path / "pile.txt"
    pile.write_text("The mill burned. The mill was old.\nRain fell on Sunday.\n", "utf-8")
    done = fabula("untangle", pile, "--apart", "1")
    assert done.exit_code == 2 and "name at least two lines" in done.output
    assert fabula("untangle", pile, "--apart", "1,2").exit_code == 0
