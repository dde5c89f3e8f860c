from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.events.formats.sources import read_chains

STORY = """The police arrested Jon Hale in Rome. He escaped
from the prison, and the police did not find him.

Mrs. Reyes hid Hale. "I trust him," she said.
"""


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.txt"
    path.write_text(STORY)
    return path


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.output


def test_who_did_what(story: Path) -> None:
    code, text = run("events", story)
    assert code == 0
    assert "Jon Hale (5 events)" in text
    assert "  the police did not find JON HALE\n" in text
    assert "      line 4: Mrs. Reyes hid Hale." in text
    assert max(map(len, text.splitlines())) <= 80


def test_as_json(story: Path) -> None:
    code, text = run("events", story, "--json")
    data = json.loads(text)
    assert code == 0
    assert data["chains"][0]["entity"] == "Jon Hale"
    event = data["chains"][0]["events"][2]
    assert 0.8 < event.pop("certainty") <= 1
    assert event == {
        "verb": "find",
        "slot": "obj",
        "args": {"subj": "the police", "obj": "Jon Hale"},
        "sentence": 1,
        "line": 1,
        "negated": True,
        "standing": "negated",
    }


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "xes", "graphml", "csv"])
def test_to_a_file(story: Path, tmp_path: Path, suffix: str) -> None:
    code, text = run("events", story, "-o", tmp_path / f"chains.{suffix}")
    assert code == 0
    assert "3 chains written" in text
    assert (tmp_path / f"chains.{suffix}").stat().st_size > 100


def test_several_documents_are_headed_and_told_one_by_one(tmp_path: Path) -> None:
    rows = [{"id": f"news {i}", "text": "Ann sang. She danced."} for i in range(3)]
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, text = run("events", path)
    assert code == 0
    assert [line for line in text.splitlines() if line.startswith("news")] == [
        "news 0", "news 1", "news 2"
    ]  # fmt: skip
    code, text = run("events", path, "--json")
    assert (code, len(json.loads(text)["chains"]), json.loads(text)["events"]) == (0, 3, 6)
    code, text = run("events", path, "--json", "-o", tmp_path / "c.jsonl")
    assert (code, json.loads(text)["written"]) == (0, 3)


def test_tests_are_built_from_texts_as_well(story: Path, tmp_path: Path) -> None:
    code, _ = run("build", "event-tests", story, "-o", tmp_path / "tests.jsonl")
    assert code == 0
    rows = [json.loads(line) for line in (tmp_path / "tests.jsonl").read_text().splitlines()]
    assert {row["entity"] for row in rows} == {"Jon Hale", "Mrs. Reyes", "the police"}


def test_rules_and_their_mistakes(story: Path) -> None:
    code, text = run("events", story, "--rule", "negation=prefix", "--json")
    assert code == 0
    assert '"not_find"' in text
    assert run("events", story, "--rule", "negation=maybe")[0] == 2
    assert run("events", story, "--coref", "nothing")[0] == 2
    assert run("events", story, "-o", story.parent / "a.doc")[0] == 2


def test_nothing_to_tell(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("No verbs here.\n")
    code, text = run("events", path)
    assert code == 0
    assert "no events" in text
    path.write_text(" \n")
    assert run("events", path)[0] == 2


def test_build_chains(story: Path, tmp_path: Path) -> None:
    out = tmp_path / "chains.jsonl"
    code, _ = run("build", "chains", story, "-o", out)
    assert code == 0
    assert [chain.entity for chain in read_chains(out)] == ["Jon Hale", "Mrs. Reyes", "the police"]
    meta = json.loads((tmp_path / "chains.meta.json").read_text())
    assert (meta["task"], meta["items"], meta["documents"]) == ("events", 3, 1)
    again = tmp_path / "again.jsonl"
    run("build", "chains", story, "-o", again)
    assert again.read_bytes() == out.read_bytes()


def test_build_chains_split_by_document(tmp_path: Path) -> None:
    rows = [{"id": f"d{i}", "text": "Ann sang. She danced."} for i in range(40)]
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, _ = run("build", "chains", path, "-o", tmp_path / "c.parquet", "--split", "80/20")
    assert code == 0
    sides = [
        {chain.document for chain in read_chains(tmp_path / f"c.{side}.parquet")}
        for side in ("train", "test")
    ]
    assert len(sides[0]) > len(sides[1]) > 0
    assert len(sides[0]) + len(sides[1]) == 40
    assert not sides[0] & sides[1]
