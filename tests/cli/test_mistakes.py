"""What goes wrong on the command line: one line on standard error, exit code 2, nothing written."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.cli.line import TANGLED, error_of, fabula, write_endings

from fabula.errors import InputError
from fabula.salads.models.centred import Centred


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

    # These take the functions over when they are first imported: not those that follow here.
    for module in ("assembly.pile", "ordering.build", "salads.build"):
        import_module(f"fabula.{module}")
    monkeypatch.setattr(Centred, "group", work)
    monkeypatch.setattr("fabula.text.segment.sentences.split_sentences", work)
    monkeypatch.setattr("fabula.text.io.documents.read_documents", work)
    monkeypatch.setattr("fabula.bench.runs.store.find_runs", work)


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

    monkeypatch.setattr("fabula.assembly.render.files.to_html", fail)
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


def test_python_m_fabula_is_the_command() -> None:
    line = [sys.executable, "-m", "fabula", "list", "tasks"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "salads" in done.stdout


def test_piped_output_is_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, pile: Path
) -> None:
    pile.write_text("The ferry left the harbour in thick fog, and the captain did not see it. " * 3)

    def widest() -> int:
        return max(map(len, fabula("assemble", pile, "--stories", "1").stdout.splitlines()))

    monkeypatch.delenv("COLUMNS", raising=False)
    assert 60 < widest() <= 100
    monkeypatch.setenv("COLUMNS", "60")
    assert widest() <= 60
