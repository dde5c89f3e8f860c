from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.endings.stats import statistics as endings_statistics
from fabula.ordering.stats import statistics as ordering_statistics
from fabula.salads.stats import statistics as salads_statistics


def fabula(*line: str | Path) -> Any:
    return CliRunner().invoke(app, [str(word) for word in line])


def stats_of(path: Path, *rows: dict[str, Any]) -> Any:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = fabula("stats", path, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


SALAD = {"id": "a", "sentences": ["It rained.", "He came home late."], "labels": [0, 1]}


def test_salads(tmp_path: Path) -> None:
    more = {"id": "b", "sentences": ["One.", "Two.", "Three four."], "labels": [0, 1, 2]}
    found = stats_of(
        tmp_path / "s.jsonl",
        {**SALAD, "documents": ["x", "y"], "cosine": 0.5},
        {**more, "documents": ["x", "y", "z"], "cosine": 0.7},
    )
    assert found.pop("cosine") == pytest.approx(0.6)
    assert found == {
        "task": "salads",
        "salads": 2,
        "words": 10,
        "words_per_salad": 5.0,
        "sentences_per_salad": 2.5,
        "documents_per_salad": 2.5,
    }
    assert stats_of(tmp_path / "s.jsonl", SALAD)["cosine"] is None
    assert "not stored" in fabula("stats", tmp_path / "s.jsonl").stdout


def test_ordering(tmp_path: Path) -> None:
    found = stats_of(
        tmp_path / "o.jsonl",
        {"id": "a", "units": ["One two.", "Three."], "gold": [0, 1]},
        {"id": "b", "units": ["Four.", "Five.", "Six.", "Seven eight nine."], "gold": [0, 1, 2, 3]},
    )
    assert found == {
        "task": "ordering",
        "texts": 2,
        "units": 6,
        "words": 9,
        "units_per_text": 3.0,
        "fewest_units": 2,
        "most_units": 4,
        "sentences_per_unit": 1.0,
        "words_per_unit": 1.5,
        "vocabulary": 10,  # nine words and the full stop
    }


def test_endings(tmp_path: Path) -> None:
    found = stats_of(
        tmp_path / "e.jsonl",
        {"id": "a", "context": ["It rained.", "It stopped."], "options": ["Wet all day.", "Dry."]},
    )
    assert found == {
        "task": "endings",
        "items": 1,
        "options": 2,
        "words": 8,
        "options_per_item": 2.0,
        "words_per_context": 4.0,
        "words_per_option": 2.0,
    }


def test_the_packaged_endings_and_a_built_file(tmp_path: Path) -> None:
    assert "endings" in fabula("stats", "sample-endings").stdout
    built = tmp_path / "s.parquet"
    assert fabula("build", "salads", "sample", "-o", built, "--n", "5").exit_code == 0
    shown = fabula("stats", built).stdout
    assert "sentences per salad" in shown and "2.000" in shown


def test_nothing_to_count() -> None:
    assert salads_statistics([])["words_per_salad"] == 0
    assert ordering_statistics([])["words_per_unit"] == 0
    assert endings_statistics([])["words_per_option"] == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "holds no items"),
        ('{"id": "a", "words": 3}\n', "are no items fabula builds: columns id, words"),
        ('{"id": "a", "sentences": []}\n', "a.jsonl:1: 'sentences' must be"),
    ],
)
def test_what_cannot_be_counted(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    done = fabula("stats", tmp_path / "a.jsonl")
    assert done.exit_code == 2 and problem in done.stderr and done.stdout == ""
    assert "give a file" in fabula("stats", "-").stderr


def test_the_sides_of_a_split_stand_side_by_side(tmp_path: Path) -> None:
    row = {"id": "a", "units": ["One two.", "Three."], "gold": [0, 1]}
    for side, number in (("train", 3), ("test", 1)):
        rows = "".join(json.dumps(row) + "\n" for _ in range(number))
        (tmp_path / f"x_cs.CL.{side}.jsonl").write_text(rows)
    found = json.loads(fabula("stats", tmp_path / "x_cs.CL.jsonl", "--json").stdout)
    assert [one["texts"] for one in found["files"].values()] == [3, 1]
    twice = fabula("stats", tmp_path / "x_cs.CL.jsonl", tmp_path / "x_cs.CL.train.jsonl", "--json")
    assert json.loads(twice.stdout) == found
    shown = fabula("stats", tmp_path / "x_cs.CL.jsonl").stdout
    assert "x_cs.CL.train.jsonl" in shown and "x_cs.CL.test.jsonl" in shown
    (tmp_path / "s.jsonl").write_text(json.dumps(SALAD) + "\n")
    done = fabula("stats", tmp_path / "x_cs.CL.jsonl", tmp_path / "s.jsonl")
    assert done.exit_code == 2 and "items of ordering and of salads" in done.stderr
