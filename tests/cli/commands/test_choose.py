"""fabula choose and fabula export."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import fabula
from fabula.cli import app
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.errors import InputError, UsageError

CLOZE = [
    "InputStoryid", *(f"InputSentence{i}" for i in range(1, 5)),
    "RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2",
]  # fmt: skip
STORIES = [
    ["s1", "One.", "Two.", "Three.", "Four.", "A short end.", "A very much longer end."],
    ["s2", "One.", "Two.", "Three.", "Four.", "The long long long end.", "End."],
]


class Shorter:
    def score(self, items: list[Ending]) -> list[list[float]]:
        return [[-float(len(option)) for option in item.options] for item in items]


@pytest.fixture(autouse=True)
def shorter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "short_model_for_test.py").write_text(
        "def shorter(context, options):\n    return [-len(o) for o in options]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


MODEL = ["--model", "python:short_model_for_test:shorter"]


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def table(path: Path, header: list[str], *rows: list[str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def test_a_blind_file_gets_a_submission(tmp_path: Path) -> None:
    blind = table(tmp_path / "blind.csv", CLOZE, *STORIES)
    done = run("choose", blind, *MODEL, "-o", tmp_path / "answer.csv")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == ["s1\t1\tA short end.", "s2\t2\tEnd."]
    text = (tmp_path / "answer.csv").read_text()
    assert text == "InputStoryid,AnswerRightEnding\ns1,1\ns2,2\n"
    spec = f"predictions:{tmp_path / 'answer.csv'}@{blind}"
    labelled = table(
        tmp_path / "all.csv", [*CLOZE, "AnswerRightEnding"],
        [*STORIES[0], "1"], [*STORIES[1], "1"],
    )  # fmt: skip
    done = run("evaluate", "endings", labelled, "--model", spec, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"][0]["metrics"]["accuracy"]["value"] == 0.5


def test_choices_as_json_and_as_predictions(tmp_path: Path) -> None:
    path = table(
        tmp_path / "a.csv", ["q", "x", "y", "z", "key", "name"],
        ["Why?", "because", "so", "thus it is", "B", "n1"],
        ["How?", "slowly", "fast", "", "A", "n2"],
    )  # fmt: skip
    line = ["choose", path, *MODEL, "--context", "q", "--options", "x,y,z", "--gold", "key"]
    done = run(*line, "--gold-as", "letter", "--id", "name", "-o", tmp_path / "p.jsonl", "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert [(row["id"], row["choice"]) for row in data["items"]] == [("n1", 1), ("n2", 1)]
    assert data["accuracy"]["value"] == 0.5
    rows = [json.loads(row) for row in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert rows[0] == {
        "id": "n1", "choice": 1, "options": ["because", "so", "thus it is"],
        "scores": [-7.0, -2.0, -10.0],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("header", "row", "problem"),
    [
        (["context", "options"], ["x", '["one"]'], "a.csv:2: 'options' has 1 option"),
        (["context", "options"], ["x", '["p", "p"]'], "a.csv:2: options 1 and 2 are equal"),
        (["context", "options", "gold"], ["x", '["p", "q"]', "2"], "a.csv:2: 'gold' must be 0 or"),
        (["story", "options"], ["x", '["p", "q"]'], "a.csv:2: 'context' is missing"),
        (["context", "options"], None, "a.csv: there are no items"),
    ],
)
def test_bad_input_names_its_line(
    tmp_path: Path, header: list[str], row: list[str] | None, problem: str
) -> None:
    path = table(tmp_path / "a.csv", header, *([row] if row else []))
    done = run("choose", path, *MODEL, "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 2 and problem in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_the_wrong_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes('context,options\nx,"[""caf\xe9"", ""q""]"\n'.encode("latin-1"))
    done = run("choose", path, *MODEL)
    assert done.exit_code == 2 and "a.csv:2: " in done.stderr
    done = run("choose", path, *MODEL, "--encoding", "latin-1")
    assert done.exit_code == 0 and "2\t2\tq" in done.stdout


def test_a_blind_file_where_gold_is_needed(tmp_path: Path) -> None:
    blind = table(tmp_path / "blind.csv", CLOZE, *STORIES)
    done = run("evaluate", "endings", blind, *MODEL)
    assert done.exit_code == 2 and "item 's1' has no gold answer" in done.stderr
    done = run("train", "endings/fine-tuned", blind, "-o", tmp_path / "m")
    assert done.exit_code == 2 and "item 's1' has no gold answer" in done.stderr
    assert not (tmp_path / "m").exists()
    done = run("export", blind, "-o", tmp_path / "task")
    assert done.exit_code == 2 and "item 's1' has no gold answer" in done.stderr


def test_export_of_a_task_and_of_a_run(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", [*CLOZE, "AnswerRightEnding"], *([*s, "1"] for s in STORIES))
    done = run("export", path, "-o", tmp_path / "task", "--name", "cloze", "--json")
    assert done.exit_code == 0, done.output
    assert list(read_endings(tmp_path / "task" / "cloze.jsonl")) == list(read_endings(path))
    assert (tmp_path / "task" / "cloze.yaml").is_file()
    done = run("evaluate", "endings", path, *MODEL, "-o", tmp_path / "runs", "--json")
    folder = json.loads(done.stdout)["results"][0]["run"]
    done = run("export", folder, "-o", tmp_path / "out", "--name", "cloze", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "out" / "results_cloze.json").read_text())
    assert found["results"]["cloze"]["acc,none"] == 0.5
    samples = f"samples:{tmp_path / 'out' / 'samples_cloze.jsonl'}"
    done = run("evaluate", "endings", path, "--model", samples, "--json")
    assert json.loads(done.stdout)["results"][0]["metrics"]["accuracy"]["value"] == 0.5


def test_export_of_a_data_set(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", [*CLOZE, "AnswerRightEnding"], *([*s, "1"] for s in STORIES))
    done = run("export", path, "--to", "datasets", "-o", tmp_path / "set", "--json")
    assert done.exit_code == 0, done.output
    card, items = json.loads(done.stdout)["files"]
    assert list(read_endings(items)) == list(read_endings(path)) and Path(card).is_file()
    for wrong, why in (
        (["--to", "hub"], "use lm-eval or datasets"),
        (["--to", "datasets", "--task", "ordering", "--gold", "x"], "endings alone"),
        ([path], "made of one"),
    ):
        done = run("export", path, *wrong, "-o", tmp_path / "other")
        assert done.exit_code == 2 and why in done.output
    assert not (tmp_path / "other").exists()


def test_from_the_library(tmp_path: Path) -> None:
    pairs = [("It rained.", ["Wet.", "Very dry."]), (["One.", "Two."], ("Long enough.", "No."))]
    assert [choice.text for choice in fabula.choose(pairs, model=Shorter())] == ["Wet.", "No."]
    (tied,) = fabula.choose(pairs[:1], model="constant")
    assert tied.tied and tied.choice == 0
    with pytest.raises(UsageError, match="fewer than two options"):
        fabula.choose([("x", ["y"])], model="constant")
    (tmp_path / "e.jsonl").write_text("")
    with pytest.raises(InputError, match="no items"):
        fabula.choose(tmp_path / "e.jsonl", model="constant")


def test_best_falls_back_to_a_model_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from fabula.errors import MissingPart

    def missing(*_: Any) -> Any:
        raise MissingPart("the packaged encoder", "pip install it")

    monkeypatch.setattr("fabula.endings.models.coherence.Coherence.score", missing)
    monkeypatch.setattr("fabula.text.encoders.sentence.MiniLM.encode", missing)
    blind = table(tmp_path / "blind.csv", CLOZE, *STORIES)
    done = run("choose", blind, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["model"] == "joint:tfidf"
    assert (
        "'coherence' cannot be used" in caplog.text
        and "'joint:minilm' cannot be used" in caplog.text
    )


def test_corpora_are_the_data() -> None:
    assert run("list", "corpora").stdout == run("list", "data").stdout
