"""fabula times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import app

TEXT = "The bridge fell on Monday at 9 p.m. It had been built in 1911.\n"


def fabula(*line: str | Path) -> Any:
    return CliRunner().invoke(app, ["times", *(str(word) for word in line)])


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text(TEXT, "utf-8")
    return path


def test_values_are_told_from_the_date_given(notes: Path) -> None:
    done = fabula(notes, "--date", "1999-06-15", "--json")
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["times"]
    assert [(row["text"], row["value"], row["role"]) for row in rows] == [
        ("Monday at 9 p.m.", "1999-06-14T21:00", "happened"),
        ("1911", "1911", "background"),
    ]
    assert TEXT[rows[0]["start"] : rows[0]["end"]] == rows[0]["text"]


def test_timeml_is_written_and_read(notes: Path, tmp_path: Path) -> None:
    output = tmp_path / "x.tml"
    assert fabula(notes, "--date", "1999-06-15", "-o", output).exit_code == 0
    done = fabula(output, "--json")
    values = [row["value"] for row in json.loads(done.stdout)["times"]]
    assert values == ["1999-06-14T21:00", "1911"]
    lines = tmp_path / "x.jsonl"
    assert fabula(notes, "-o", lines).exit_code == 0
    assert [json.loads(line)["type"] for line in lines.read_text().splitlines()] == ["TIME", "DATE"]


def test_mistakes_are_one_line_and_exit_code_2(notes: Path, tmp_path: Path) -> None:
    for line in (
        [notes, "--date", "soon"],
        [notes, "-o", tmp_path / "x.pdf"],
        [notes, notes, "-o", tmp_path / "x.tml"],
        [tmp_path / "missing.tml"],
        [tmp_path / "missing.txt"],
    ):
        done = fabula(*line)
        assert done.exit_code == 2, line
        assert len(done.stderr.strip().splitlines()) == 1
