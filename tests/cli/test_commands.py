"""The command line as other programs use it: exit codes, where errors go, and the promised keys."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from fabula import __version__, doctor
from fabula.cli import COMMANDS, app
from fabula.errors import InputError
from fabula.salads.models.centred import Centred

TANGLED = "The ferry left.\nThe baker rose.\nThe ferry sank.\nThe baker slept.\n"


def fabula(*line: str | Path, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(word) for word in line], input=stdin)


def json_of(*line: str | Path, stdin: str | None = None, code: int = 0) -> Any:
    """What a command prints with --json, read by the letter."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    done = fabula(*line, "--json", stdin=stdin)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout, parse_constant=refuse)


def error_of(*line: str | Path, stdin: str | None = None) -> str:
    """The one line a mistake is told in."""
    done = fabula(*line, stdin=stdin)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("fabula: ") and done.stderr.count("\n") == 1
    return str(done.stderr.strip())


@pytest.fixture
def pile(tmp_path: Path) -> Path:
    path = tmp_path / "pile.txt"
    path.write_text(TANGLED)
    return path


def write_endings(path: Path, n: int = 4) -> Path:
    rows = [
        {"id": f"e{i}", "context": ["It rained."], "options": ["Wet.", "Dry."], "gold": i % 2}
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# What programs rely on.


def test_assemble_json(pile: Path) -> None:
    data = json_of("assemble", pile, "--stories", "2")
    assert data.keys() >= {"stories", "contradictions", "gaps", "notes"}
    assert [story["id"] for story in data["stories"]] == [1, 2]
    for story in data["stories"]:
        assert story.keys() >= {"id", "title", "sentences", "actors", "events"}
    told = [s for story in data["stories"] for s in story["sentences"]]
    assert sorted(s["line"] for s in told) == [1, 2, 3, 4]
    for sentence in told:
        assert sentence.keys() >= {"text", "source", "line", "position", "probability"}
        assert sentence["source"] == str(pile)
        assert sentence["text"] == TANGLED.splitlines()[sentence["line"] - 1]


def test_untangle_json_is_the_same_without_what_it_does_not_do(pile: Path) -> None:
    data = json_of("untangle", pile, "--stories", "2")
    assert data.keys() >= {"stories", "contradictions", "notes"} and "gaps" not in data
    for story in data["stories"]:
        assert story.keys() == {"id", "title", "sentences"}
        for sentence in story["sentences"]:
            assert sentence.keys() >= {"text", "source", "line", "probability"}
            assert "position" not in sentence
    lines = [s["line"] for story in data["stories"] for s in story["sentences"]]
    assert sorted(lines) == [1, 2, 3, 4]


def test_what_was_kept_together_stays_so(pile: Path, tmp_path: Path) -> None:
    out = tmp_path / "before.json"
    first = json_of("untangle", pile, "--stories", "2", "--together", "1,2", "-o", out)
    lines = TANGLED.splitlines()
    assert first["together"] == [[lines[0], lines[1]]] and first["apart"] == []
    again = json_of("untangle", pile, "--stories", "2", "--previous", out)
    assert again["together"] == first["together"] and again["changes"] == []
    story = {s["line"]: t["id"] for t in again["stories"] for s in t["sentences"]}
    assert story[1] == story[2]


def test_order_json(pile: Path) -> None:
    data = json_of("order", pile)
    assert data.keys() == {"units", "order", "confidence", "neighbours"}
    assert sorted(data["order"]) == [0, 1, 2, 3] and 0 <= data["confidence"] <= 1
    assert data["units"] == [TANGLED.splitlines()[i] for i in data["order"]]


def test_evaluate_json(tmp_path: Path) -> None:
    items = write_endings(tmp_path / "a.jsonl")
    data = json_of("evaluate", "endings", items, "--model", "constant", "-m", "constant")
    assert data["task"] == "endings" and data["items"] == 4
    assert [result["model"] for result in data["results"]] == ["constant", "constant"]
    for result in data["results"]:
        assert result.keys() >= {"model", "metrics", "seconds"}
        assert result["metrics"]["accuracy"].keys() == {"value", "low", "high"}
        assert result["metrics"]["accuracy"]["value"] == 0.5


def test_what_is_not_a_number_is_null_in_json(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "units": ["One."], "gold": [0]}\n')
    data = json_of("evaluate", "ordering", tmp_path / "a.jsonl", "--model", "random")
    assert data["results"][0]["metrics"]["tau"]["value"] is None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("tasks", "salads"),
        ("models", "salads/centred"),
        ("metrics", "ordering/WLCS-l"),
        ("recipes", "salads/same-month"),
        ("data", "tangled"),
        ("data", "sotu"),
        ("encoders", "minilm"),
        ("readers", "parquet"),
    ],
)
def test_list_json(kind: str, expected: str) -> None:
    data = json_of("list", kind)
    assert list(data) == [kind] and expected in data[kind]
    assert fabula("list", kind).stdout.splitlines() == data[kind]


def test_the_promised_metrics() -> None:
    names = set(json_of("list", "metrics")["metrics"])
    salads = "CA ARI NMI VI one_to_one exact_f1 bcubed k_right"
    assert names >= {f"salads/{name}" for name in salads.split()}
    assert names >= {f"ordering/{name}" for name in ["PMR", "Acc", "tau", "WLCS-l"]}
    assert "endings/accuracy" in names


def test_resources_json() -> None:
    data = json_of("resources")
    assert data == json_of("resources", "show")
    for resource in data["resources"]:
        assert resource.keys() >= {"name", "what", "licence", "megabytes", "sha256", "status"}
    (minilm,) = [r for r in data["resources"] if r["name"] == "minilm"]
    assert minilm["status"].startswith("ready")
    assert "minilm" in fabula("resources").stdout
    assert fabula("resources", "-q").output == ""


def test_every_command_takes_the_shared_options() -> None:
    def leaves(node: Any, path: tuple[str, ...]) -> Any:
        children = getattr(node, "commands", {})
        own = [option for parameter in node.params for option in parameter.opts]
        if not children or path == ("resources",):
            yield path, own
        for name, child in children.items():
            yield from leaves(child, (*path, name))

    found = dict(leaves(typer.main.get_command(app), ()))
    assert {path[0] for path in found} == set(COMMANDS)
    for path, options in found.items():
        assert {"--json", "--seed", "-q", "--debug"} <= set(options), path
    assert fabula("order", "--help").stdout == fabula("order", "-h").stdout != ""


def test_cache_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "cache"))
    assert json_of("cache") == {"folder": str(tmp_path / "cache"), "bytes": 0, "files": {}}
    (tmp_path / "cache" / "vectors").mkdir(parents=True)
    (tmp_path / "cache" / "vectors" / "a").write_bytes(b"123")
    (tmp_path / "cache" / "thesis.txt").write_bytes(b"not ours")
    assert json_of("cache", "show")["bytes"] == 3
    assert json_of("cache", "clear")["freed"] == 3
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["thesis.txt"]
    assert "cache takes show or clear; it is 'empty'" in error_of("cache", "empty")


def test_doctor_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_JOBS", {"counting": lambda: (6, "sheep")})
    data = json_of("doctor")
    assert data["ok"] is True
    for finding in data["findings"]:
        assert finding.keys() >= {"what", "ok", "said", "required"}
    assert {"python", "resource minilm", "counting"} <= {f["what"] for f in data["findings"]}


def test_a_failed_check_is_shown_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [doctor.Finding("minilm", False, "not installed"), doctor.Finding("x", True, "y")]
    monkeypatch.setattr(doctor, "examine", lambda: findings)
    assert json_of("doctor", code=1)["ok"] is False
    done = fabula("doctor")
    assert done.exit_code == 1 and "MISSING" in done.stdout and done.stderr == ""
    findings[0] = doctor.Finding("web", False, "not installed", required=False)
    assert fabula("doctor").exit_code == 0


def test_split_json(pile: Path) -> None:
    data = json_of("split", pile)
    assert [(s["line"], s["text"]) for s in data["sentences"]] == list(
        enumerate(TANGLED.splitlines(), 1)
    )
    assert fabula("split", pile).stdout.splitlines()[2] == f"{pile}:3\tThe ferry sank."


# What people see.


def test_the_packaged_sample_is_scored() -> None:
    data = json_of("assemble", "tangled")
    assert sum(len(story["sentences"]) for story in data["stories"]) == 45
    assert 0 <= data["score"]["CA"] <= 1 and 0 <= data["score"]["tau"] <= 1
    text = fabula("assemble", "tangled").stdout
    assert f"Against the solution: CA {data['score']['CA']:.3f}, tau" in text


def test_version_and_help() -> None:
    assert fabula("--version").stdout == f"fabula {__version__}\n"
    page = fabula("--help").stdout
    assert [name for name in COMMANDS if name not in page] == []
    assert "Usage" in fabula().output


def test_order_by_level(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One is here. Two is there.\nThree is gone.\n\nFour came. Five left.\n")
    count = {level: len(json_of("order", path, "--level", level)["units"]) for level in
             ("line", "sentence", "paragraph")}  # fmt: skip
    assert count == {"line": 3, "sentence": 5, "paragraph": 2}
    assert "--level takes line, sentence, paragraph" in error_of("order", path, "--level", "word")


@pytest.mark.parametrize("name", ["assemble", "untangle", "order", "split"])
def test_standard_input(name: str) -> None:
    data = json_of(name, "-", stdin=TANGLED)
    assert "The ferry sank." in json.dumps(data)
    assert fabula(name, "-", stdin=TANGLED).exit_code == 0


@pytest.mark.parametrize("suffix", [".html", ".json", ".md"])
def test_assemble_writes_what_the_name_says(pile: Path, suffix: str) -> None:
    output = pile.with_name(f"out{suffix}")
    done = fabula("assemble", pile, "-o", output)
    assert done.exit_code == 0 and "Written to" in done.stdout
    text = output.read_text()
    assert "The ferry sank." in text
    assert text.startswith({".html": "<!doctype html>", ".json": "{", ".md": "## Story 1"}[suffix])


def test_untangle_and_order_write_what_the_name_says(pile: Path) -> None:
    for name, suffix in (("untangle", ".json"), ("order", ".json"), ("order", ".txt")):
        output = pile.with_name(f"{name}{suffix}")
        done = fabula(name, pile, "-o", output)
        assert done.exit_code == 0, done.output
        if suffix == ".json":
            assert json.loads(output.read_text()) == json_of(name, pile)
        else:
            assert output.read_text() == done.stdout


def test_quiet_prints_no_summary(pile: Path) -> None:
    output = pile.with_name("out.json")
    assert fabula("assemble", pile, "-o", output, "-q").stdout == ""
    assert output.is_file()


# What goes wrong.


def test_a_wrong_row_names_file_and_line(tmp_path: Path) -> None:
    path = write_endings(tmp_path / "a.jsonl")
    path.write_text(path.read_text() + '{"id": "x", "context": [], "options": ["One."]}\n')
    said = error_of("evaluate", "endings", path, "--model", "constant")
    assert said == f"fabula: {path}:5: 'options' has 1 option, at least 2 are needed"
    path.write_text('{"id": \n')
    assert f"{path}:1: " in error_of("evaluate", "endings", path, "--model", "constant")


@pytest.mark.parametrize("name", ["assemble", "untangle", "order", "split"])
def test_a_missing_file_is_named(name: str) -> None:
    assert "no/such.txt" in error_of(name, "no/such.txt")


@pytest.mark.parametrize("name", ["assemble", "untangle", "order"])
def test_a_text_of_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" \n")
    assert "a.txt" in error_of(name, tmp_path / "a.txt")


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any work is a failure."""

    def work(*_: Any) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr(Centred, "group", work)
    monkeypatch.setattr("fabula.text.sentences.split_sentences", work)
    monkeypatch.setattr("fabula.text.documents.read_documents", work)
    monkeypatch.setattr("fabula.bench.store.find_runs", work)


LINES = {
    "assemble": ("assemble", "tangled"),
    "untangle": ("untangle", "tangled"),
    "order": ("order", "tangled"),
    "report": ("report", "runs"),
    "build salads": ("build", "salads", "sample"),
    "build ordering": ("build", "ordering", "sample"),
}


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("name", LINES)
def test_an_output_of_unknown_kind_is_refused_before_the_work(name: str, tmp_path: Path) -> None:
    said = error_of(*LINES[name], "-o", tmp_path / "out.exe")
    assert "out.exe" in said and "must end in" in said


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("name", LINES)
def test_a_missing_output_folder_is_refused_before_the_work(name: str, tmp_path: Path) -> None:
    suffix = ".html" if name == "report" else ".jsonl" if "build" in name else ".json"
    said = error_of(*LINES[name], "-o", tmp_path / "no" / f"out{suffix}")
    assert f"the folder {tmp_path / 'no'} does not exist" in said


def test_a_failure_leaves_the_output_as_it_was(pile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = pile.with_name("out.html")
    output.write_text("old")

    def fail(*_: Any, **__: Any) -> None:
        raise InputError("the page cannot be made", path=pile)

    monkeypatch.setattr("fabula.assembly.render.to_html", fail)
    assert "cannot be made" in error_of("assemble", pile, "-o", output)
    assert output.read_text() == "old"
    assert sorted(path.name for path in pile.parent.iterdir()) == ["out.html", "pile.txt"]


def test_a_build_that_fails_leaves_no_file(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"id": "a", "text": "One is here. Two is there."}\n{"id": "b"}\n')
    output = tmp_path / "out.jsonl"
    assert f"{source}:2: " in error_of("build", "ordering", source, "-o", output)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    done = fabula("build", "ordering", source, "-o", output, "--lenient")
    assert done.exit_code == 0 and f"{source}:2" in done.stdout


def test_unknown_names_say_what_is_near(tmp_path: Path) -> None:
    items = write_endings(tmp_path / "a.jsonl")
    assert "did you mean 'endings'" in error_of("evaluate", "ending", items, "-m", "constant")
    assert "did you mean 'constant'" in error_of("evaluate", "endings", items, "-m", "constnat")
    assert "did you mean 'models'" in error_of("list", "model")
    assert "did you mean 'ordering/linear'" in error_of(
        "train", "ordering/liner", items, "-o", tmp_path / "m"
    )
    assert "did you mean 'same-month'" in error_of(
        "build", "salads", "sample", "-o", tmp_path / "s.jsonl", "--recipe", "same-moth"
    )
    assert "did you mean 'train'" in error_of(
        "build", "ordering", "sample", "-o", tmp_path / "s.jsonl", "--part", "trian"
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (("assemble", "tangled", "--stories", "0"), "--stories takes auto or a number from 1"),
        (("assemble", "tangled", "--stories", "many"), "--stories takes auto or a number"),
        (
            ("assemble", "tangled", "--stories", "46"),
            r"between 1 and the number of sentences \(45\)",
        ),
        (
            ("untangle", "tangled", "--stories", "46"),
            r"between 1 and the number of sentences \(45\)",
        ),
        (("build", "salads", "sample", "-o", "x.jsonl", "--documents", "5-3"), "runs backwards"),
        (("build", "salads", "sample", "-o", "x.jsonl", "--documents", "1"), "2 documents or more"),
        (("build", "ordering", "sample", "-o", "x.jsonl", "--window", "0"), "2 units or more"),
        (
            ("build", "ordering", "sample", "-o", "x.jsonl", "--window", "a"),
            "--window takes a number",
        ),
        (
            ("build", "ordering", "sample", "-o", "x.jsonl", "--level", "word"),
            "level must be one of",
        ),
        (("train", "endings/constant", "x.jsonl", "-o", "m"), "has nothing to learn"),
    ],
)
def test_an_argument_that_is_not_allowed(
    line: tuple[str, ...], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert re.search(problem, error_of(*line))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "line", [("assemble",), ("nosuch",), ("order", "a", "b"), ("list", "--no")]
)
def test_wrong_usage_exits_with_2(line: tuple[str, ...]) -> None:
    done = fabula(*line)
    assert done.exit_code == 2 and done.stdout == "" and "Usage" in done.stderr


@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_number_of_items_that_cannot_be(number: str, tmp_path: Path) -> None:
    for task in ("salads", "ordering"):
        done = fabula("build", task, "sample", "-o", tmp_path / "x.jsonl", "--n", number)
        assert done.exit_code == 2 and "--n" in done.stderr


def test_a_model_is_not_saved_over_a_file(pile: Path, tmp_path: Path) -> None:
    items = tmp_path / "a.jsonl"
    items.write_text('{"id": "a", "units": ["One.", "Two."], "gold": [0, 1]}\n')
    said = error_of("train", "ordering/linear", items, "-o", pile)
    assert "is a file" in said and pile.read_text() == TANGLED


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = fabula("assemble", tmp_path / "no.txt", "--debug")
    assert isinstance(done.exception, InputError) and done.exit_code == 1
    assert fabula("assemble", tmp_path / "no.txt").exit_code == 2


def test_the_installed_command(pile: Path) -> None:
    """As a program: errors go to standard error, and a pipe may be closed."""
    line = [sys.executable, "-c", "from fabula.cli import main; main()"]
    done = subprocess.run([*line, "split", pile], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 4
    done = subprocess.run([*line, "split", "no.txt"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("fabula: no.txt: ")
    pile.write_text("The ferry left the harbour in thick fog.\n" * 5000)
    shell = f"{sys.executable} -c 'from fabula.cli import main; main()' split {pile} | head -1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 1 and done.stderr == ""
