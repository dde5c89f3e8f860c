"""fabula order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import app

LINES = [
    "It broke in the night of 3 May 1938.",
    "Work began in 1913.",
    "In 1911 the council of Marwick decided to build a dam.",
    "The dam was finished in 1921.",
]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("\n".join(LINES) + "\n", "utf-8")
    return path


def fabula(*line: str | Path) -> Any:
    return CliRunner().invoke(app, ["order", *(str(word) for word in line)])


def answer(*line: str | Path) -> dict[str, Any]:
    done = fabula(*line, "--json")
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


def test_each_neighbouring_pair_has_its_probability(notes: Path) -> None:
    found = answer(notes, "--level", "line")
    assert len(found["neighbours"]) == 3 and all(0 <= p <= 1 for p in found["neighbours"])
    assert answer(notes, "--level", "line") == found


def test_constraints_count_from_one(notes: Path) -> None:
    found = answer(notes, "--level", "line", "--first", "4", "--last", "2")
    assert (found["order"][0], found["order"][-1]) == (3, 1)
    found = answer(notes, "--level", "line", "--before", "1,3", "--before", "1,2", "--block", "2-4")
    assert found["order"][0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--first", "1", "--last", "1"], "contradict each other"),
        (["--before", "1,2", "--before", "2,1"], "contradict each other"),
        (["--first", "9"], "there is no unit 9; there are 4"),
        (["--before", "1"], "--before takes two numbers from 1, such as 2,5"),
        (["--block", "5-3"], "runs backwards"),
        (["--block", "1-2", "--block", "2-3"], "in two blocks"),
        (["--decoder", "fast"], "unknown decoder 'fast'"),
    ],
)
def test_wrong_constraints_are_refused(notes: Path, options: list[str], message: str) -> None:
    done = fabula(notes, "--level", "line", *options)
    assert done.exit_code == 2
    assert message in done.stderr


def test_the_diff_says_what_moves(notes: Path) -> None:
    line = ["--level", "line", "--diff", "--before", "3,2", "--before", "2,4", "--last", "1"]
    done = fabula(notes, *line)
    assert done.exit_code == 0
    assert "1 moves to the end, after 4: It broke" in done.stdout
    assert "least sure that" in done.stdout


def test_the_score_of_a_text_as_it_stands(notes: Path) -> None:
    found = answer(notes, "--level", "line", "--score", "--moves", "1")["coherence"]
    assert 0 <= found["score"] <= found["best"] <= 1
    assert len(found["moves"]) == 1 and found["moves"][0]["score"] > found["score"]
    shown = fabula(notes, "--level", "line", "--score").stdout
    assert "coherence as it stands" in shown and "move 1 after" in shown


def test_one_unit_is_in_order(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("Only one sentence.\n", "utf-8")
    assert answer(path)["order"] == [0]
    assert "nothing moves" in fabula(path, "--diff").stdout
    assert "no single move" in fabula(path, "--score").stdout


def test_no_move_breaks_what_is_known(notes: Path) -> None:
    for rule in (["--first", "1"], ["--before", "1,3", "--before", "1,2"], ["--block", "1-2"]):
        known = ["--level", "line", *rule, "--score", "--moves", "9"]
        found = answer(notes, *known)
        order = [0, 1, 2, 3]
        for move in found["coherence"]["moves"]:
            order.insert(move["to"], order.pop(order.index(move["unit"])))
        place = {unit: at for at, unit in enumerate(order)}
        if "--first" in rule:
            assert order[0] == 0
        elif "--before" in rule:
            assert place[0] < place[2] and place[0] < place[1]
        else:
            assert abs(place[0] - place[1]) == 1
        assert found["coherence"]["best"] == pytest.approx(found["confidence"], abs=1e-3)


def test_moves_and_score_are_in_the_file_and_in_json(notes: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    line: list[str | Path] = [notes, "--level", "line", "--last", "1"]
    assert answer(*line, "--diff")["diff"]
    fabula(*line, "--score", "-o", path)
    assert json.loads(path.read_text("utf-8"))["coherence"]["score"] > 0
    assert "no single move" not in fabula(*line, "--score", "--moves", "0").stdout


def test_another_language_is_said(tmp_path: Path) -> None:
    path = tmp_path / "de.txt"
    path.write_text(
        "Der Hafenmeister zündete abends die Lampen an und wartete auf die Boote.\n"
        "Gegen Mitternacht kamen drei von ihnen zurück, das vierte aber blieb verschwunden.\n"
        "Niemand wusste, wohin es gefahren war, und keiner fragte danach.\n",
        "utf-8",
    )
    assert answer(path, "--level", "line")["notes"] == [
        "The text does not look English; fabula reads English only."
    ]
    assert "does not look English" in fabula(path, "--level", "line").stderr


def test_built_items_are_ordered_one_by_one(tmp_path: Path) -> None:
    path, out = tmp_path / "items.jsonl", tmp_path / "orders.jsonl"
    rows = [{"id": f"t{i}", "units": LINES[i:]} for i in range(2)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = answer(path, "-o", out)["texts"]
    assert [row["id"] for row in found] == ["t0", "t1"]
    assert found[0]["order"] == answer_of(LINES, tmp_path)["order"]
    assert [json.loads(line) for line in out.read_text("utf-8").splitlines()] == found
    assert fabula(path).stdout.startswith("# t0\n")
    done = fabula(path, "--first", "1")
    assert done.exit_code == 2 and "are for one text; these are items" in done.stderr


def answer_of(lines: list[str], folder: Path) -> dict[str, Any]:
    (folder / "lines.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return answer(folder / "lines.txt", "--level", "line")


def test_by_time_says_when_and_from_what(notes: Path) -> None:
    found = answer(notes, "--level", "line", "--by", "time")
    assert found["units"] == [LINES[2], LINES[1], LINES[3], LINES[0]]
    assert found["when"][:3] == ["1911", "1913", "1921"]
    assert set(found["source"]) == {"told"} and found["unknown"] == []


def test_a_date_needs_by_time(notes: Path) -> None:
    assert fabula(notes, "--date", "1999-06-15").exit_code == 2
    assert fabula(notes, "--by", "luck").exit_code == 2
