from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.endings.build import RECIPES, build_endings
from fabula.endings.formats.tables import read_endings
from fabula.errors import UnknownName, UsageError
from fabula.types import Document


def documents(n: int = 8, sentences: int = 7) -> list[Document]:
    return [
        Document(f"d{i}", (" ".join(f"Story {i} has line {j}." for j in range(sentences)),))
        for i in range(n)
    ]


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_next_sentence_is_right(recipe: str) -> None:
    items = list(build_endings(documents(), recipe=recipe))
    assert len(items) == 8 and len({item.id for item in items}) == 8
    for item in items:
        assert item.gold is not None
        number = item.id.removeprefix("d")
        assert item.context == tuple(f"Story {number} has line {j}." for j in range(4))
        assert item.options[item.gold] == f"Story {number} has line 4."
        (wrong,) = (o for o in item.options if o != item.options[item.gold])
        same = wrong.startswith(f"Story {number} ")
        assert same == (recipe != "random")
        assert (wrong in item.context) == (recipe == "backwards")
    assert items == list(build_endings(documents(), recipe=recipe))
    assert {item.gold for item in items} == {0, 1}


def test_number_and_length_can_be_chosen() -> None:
    (item, _) = build_endings(documents(), context=2, options=5, n=2)
    assert len(item.context) == 2 and len(set(item.options)) == 5
    with pytest.raises(UsageError, match="0 stories are too few"):
        list(build_endings(documents(4, sentences=4)))


def test_bad_calls_say_so() -> None:
    with pytest.raises(UnknownName, match="unknown endings recipe 'rand': did you mean 'random'"):
        list(build_endings(documents(), recipe="rand"))
    with pytest.raises(UsageError, match="context must be 1 or more"):
        list(build_endings(documents(), context=0))
    with pytest.raises(UsageError, match="2 stories are too few for 5 different endings"):
        list(build_endings(documents(2), options=5))


def test_the_command_writes_items(tmp_path: Path) -> None:
    source, target = tmp_path / "s.jsonl", tmp_path / "e.jsonl"
    rows = [{"id": d.id, "paragraphs": list(d.paragraphs)} for d in documents()]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = CliRunner().invoke(
        app, ["build", "endings", str(source), "-o", str(target), "--n", "5", "--options", "3"]
    )
    assert done.exit_code == 0, done.output
    assert len(list(read_endings(target))) == 5
    assert json.loads((tmp_path / "e.meta.json").read_text())["recipe"] == "random"
