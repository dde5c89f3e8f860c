"""``assemble`` with a folder as output, and with one as input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import corpus as corpus_cli
from fabula.cli.app import app

TEXTS = [
    "The ferry Astrid ran aground off Harwich on Monday with 212 passengers aboard.",
    "Captain Ole Lindqvist said the Astrid lost power off Harwich.",
    "Fire destroyed the Pemberton textile mill in Oldham on Friday.",
    "The Oldham fire brigade fought the blaze at the Pemberton mill for nine hours.",
]


def fabula(*line: str) -> Any:
    return CliRunner().invoke(app, list(line))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "given").mkdir()
    for number, text in enumerate(TEXTS):
        (folder / "given" / f"{number}.txt").write_text(text)
    (folder / "given" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    answer = fabula(
        "assemble", str(folder / "given"), "-o", str(folder / "stories"), "--engine", "serial"
    )
    assert answer.exit_code == 0, answer.output
    assert "4 documents" in answer.output
    assert "picture.png" in answer.output
    return folder / "stories"


def test_a_folder_of_stories_is_listed(made: Path) -> None:
    answer = fabula("assemble", str(made), "--json")
    assert sum(s["documents"] for s in json.loads(answer.output)["stories"]) == 4


def test_an_account_of_one_story(made: Path, tmp_path: Path) -> None:
    answer = fabula("assemble", str(made), "--story", "1", "-o", str(tmp_path / "one.html"))
    assert answer.exit_code == 0, answer.output
    page = (tmp_path / "one.html").read_text()
    assert "Astrid" in page
    assert "This is story 1 of stories." in page


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["{made}", "--story", "77"], "has no story 77"),
        (["{given}", "--story", "1"], "--story takes one folder of an assembled corpus"),
        (["{given}", "-o", "{made}", "--engine", "serial"], "holds an assembled corpus"),
        (["{given}", "-o", "{new}", "--stories", "3"], "--stories is not for a folder"),
        (["{given}", "-o", "{new}", "--engine", "spark"], "spark"),
        (["{made}", "-o", "{new}", "--engine", "serial"], "--previous"),
    ],
)
def test_wrong_lines(made: Path, tmp_path: Path, line: list[str], said: str) -> None:
    names = {"made": made, "given": made.parent / "given", "new": tmp_path / "new"}
    answer = fabula("assemble", *(part.format(**names) for part in line))
    assert answer.exit_code == 2
    assert said in answer.output
    assert not (tmp_path / "new").exists()


def test_too_many_documents_for_a_pile(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(corpus_cli, "MOST_DOCUMENTS", 3)
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_text(text)
    answer = fabula("assemble", str(tmp_path))
    assert answer.exit_code == 2
    assert "which is a corpus" in answer.output
