from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fabula.core.cell_store import AppendLog, CellStore, cell_name
from fabula.errors import InputError


class Counted:
    """A computation that counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def cell(self) -> dict[str, Any]:
        self.runs += 1
        return {"value": 0.5}

    def folder(self, folder: Path) -> str:
        self.runs += 1
        (folder / "value.txt").write_text("half", encoding="utf-8")
        return "half"


def load(folder: Path) -> str:
    return (folder / "value.txt").read_text(encoding="utf-8")


def test_a_cell_is_computed_once_for_each_key(tmp_path: Path) -> None:
    store, computation = CellStore(tmp_path / "cells"), Counted()
    for _ in range(2):
        assert store.cell("tau", {"seed": 0, "size": 3}, computation.cell) == {"value": 0.5}
    assert CellStore(tmp_path / "cells").cell("tau", {"size": 3, "seed": 0}, computation.cell)
    assert computation.runs == 1
    store.cell("tau", {"seed": 1, "size": 3}, computation.cell)
    assert computation.runs == 2


def test_a_computation_that_fails_leaves_nothing(tmp_path: Path) -> None:
    store = CellStore(tmp_path)

    def fail(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.cell("tau", 1, fail)
    with pytest.raises(KeyboardInterrupt):
        store.subfolder("model", 1, fail, load)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_damaged_cell_is_logged_and_computed_again(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    store, computation = CellStore(tmp_path), Counted()
    store.cell("tau", 1, computation.cell)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    with caplog.at_level(logging.WARNING, "fabula.core"):
        assert store.cell("tau", 1, computation.cell) == {"value": 0.5}
    assert computation.runs == 2 and "computed again" in caplog.text
    assert store.read("tau", 1) == {"value": 0.5}


def test_a_folder_is_computed_once_and_again_when_damaged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, computation = CellStore(tmp_path), Counted()
    for _ in range(2):
        assert store.subfolder("model", {"seed": 0}, computation.folder, load) == "half"
    assert computation.runs == 1
    (folder,) = tmp_path.iterdir()
    (folder / "value.txt").unlink()
    assert store.subfolder("model", {"seed": 0}, computation.folder, load) == "half"
    assert computation.runs == 2 and "computed again" in caplog.text


@dataclass(frozen=True)
class Setting:
    rate: float


def test_names_hold_the_label_and_the_key() -> None:
    name = cell_name("a model / 0.2", {"setting": Setting(0.1)})
    assert name.startswith("a-model-0.2-")
    assert name == cell_name("a model / 0.2", {"setting": {"rate": 0.1}})
    assert name != cell_name("a model / 0.2", {"setting": Setting(0.2)})
    assert len(cell_name("x" * 500, 1)) < 100


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make this folder"):
        CellStore(tmp_path / "file" / "cells").write("tau", 1, {})


@pytest.mark.parametrize("tear", [b'{"n": 2', bytes(20), b"[]\n"])
def test_a_log_ends_before_its_first_torn_line(
    tmp_path: Path, tear: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    log = AppendLog(tmp_path / "log.jsonl")
    assert log.read(dict) == []
    log.append({"n": 0})
    log.append({"n": 1})
    with log.path.open("ab") as stream:
        stream.write(tear)
    assert log.read(lambda line: int(line["n"])) == [0, 1]
    assert "cut off after line 2" in caplog.text
    log.append({"n": 2})
    assert log.read(lambda line: int(line["n"])) == [0, 1, 2]
    log.remove()
    assert not log.path.exists()
