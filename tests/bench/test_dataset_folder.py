"""Data sets as Parquet and a card: written, read back by fabula and by the datasets library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabula.bench.dataset_folder import export_dataset, write_dataset
from fabula.errors import FabulaError
from fabula.registry import tasks
from fabula.text.io.records import write_records

# The second split has no answers, and contexts where the first has none.
ENDINGS: dict[str, list[dict[str, Any]]] = {
    "train": [{"id": "a", "context": [], "options": ["x", "y"], "gold": 1}],
    "test": [{"id": "b", "context": ["So."], "options": ["x", "y"]}],
}
SALAD = {"id": "s", "sentences": ["x", "y"], "labels": [0, 1], "also": {"1": [0]}}


def _front_matter(card: Path) -> str:
    return card.read_text(encoding="utf-8").split("---\n")[1]


def test_the_items_come_back_and_the_card_names_the_splits(tmp_path: Path) -> None:
    for side, rows in (("train", 3), ("dev", 2)):
        items = [{**ENDINGS["train"][0], "id": f"{side}{n}"} for n in range(rows)]
        write_records(tmp_path / f"x.{side}.jsonl", items, meta={"licence": "CC-BY-4.0"})
    paths = [str(tmp_path / "x.train.jsonl"), str(tmp_path / "x.dev.jsonl")]
    card, train, dev = export_dataset("endings", paths, tmp_path / "set", "My set")
    read = tasks.get("endings").read
    assert list(read(train)) == list(read(paths[0])) and dev.name == "validation.parquet"
    front = _front_matter(card)
    assert "license: cc-by-4.0\n" in front and "- multiple-choice\n" in front
    assert "  - split: validation\n    path: data/validation.parquet\n" in front
    assert "| train | 3 | `x.train.jsonl` |" in card.read_text(encoding="utf-8")


def test_what_cannot_be_a_data_set_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_records(path, ENDINGS["train"])
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "bad.jsonl").write_text('{"id": "a"}\n')
    for paths, name, why in (
        ([path, path], "x", "both the split 'train'"),
        ([tmp_path / "empty.jsonl"], "x", "holds no items"),
        ([tmp_path / "bad.jsonl"], "x", r"bad.jsonl:1: "),
        ([path], "x\n- y", "a name has"),
    ):
        with pytest.raises(FabulaError, match=why):
            export_dataset("endings", [str(p) for p in paths], tmp_path / "set", name)
    assert not (tmp_path / "set" / "README.md").exists()


def test_maps_are_lists_that_are_read_again(tmp_path: Path) -> None:
    _, path = write_dataset(tmp_path, {"train": [SALAD]}, task="salads", name="s")
    (salad,) = tasks.get("salads").read(path)
    assert salad.also == {1: (0,)}


@pytest.mark.parametrize("task", ["endings", "salads", "examples"])
def test_the_datasets_library_loads_the_folder(task: str, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="pip install datasets")
    names = [name for name in tasks.names() if name != "coreference"]
    folders: dict[str, dict[str, list[dict[str, Any]]]] = {
        "endings": {"endings": ENDINGS["train"] + ENDINGS["test"]},
        "salads": {"salads": [SALAD]},
        "examples": {n: [item.to_row() for item in tasks.get(n).examples()] for n in names},
    }
    for name, rows in folders[task].items():
        splits = ENDINGS if task == "endings" else {"train": rows}
        write_dataset(tmp_path / name, splits, task=name, name=name)
        loaded = datasets.load_dataset(str(tmp_path / name), cache_dir=str(tmp_path / "cache"))
        assert list(loaded) == list(splits)
        path = str(tmp_path / name / "data" / "train.parquet")
        again = datasets.load_dataset("parquet", data_files=path, cache_dir=str(tmp_path / "cache"))
        assert [row["id"] for row in again["train"]] == [r["id"] for r in splits["train"]]
        json.dumps(loaded["train"][0])
