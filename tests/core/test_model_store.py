"""Models on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fabula.core.model_store import check_trained, read_words, reading, shipped, write, write_words
from fabula.errors import DamagedFile, InputError, UsageError

CONFIG = {"model": "toy/toy", "parameters": {"a": 1}}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "deep" / "model", CONFIG, {"w": np.arange(3.0)})
    with reading(folder) as (config, weights):
        assert config == CONFIG
        assert weights["w"].tolist() == [0, 1, 2]
    assert {path.suffix for path in folder.iterdir()} == {".json", ".safetensors"}


def test_an_untrained_model_says_how_to_train_it() -> None:
    class Model:
        head_: int

    model = Model()
    with pytest.raises(UsageError, match="x is not trained; train it with 'fabula train toy/x FIL"):
        check_trained(model, "head_", "toy/x")
    model.head_ = 1
    check_trained(model, "head_", "toy/x")


def test_damage_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "model", CONFIG, {"w": np.arange(3.0)})
    message = r"model: not a trained model \(.*\); train it again"
    with pytest.raises(DamagedFile, match=message), reading(folder) as (config, _):
        config["absent"]
    (folder / "weights.safetensors").write_bytes(b"short")
    with pytest.raises(DamagedFile), reading(folder):
        pass
    (folder / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(DamagedFile), reading(folder):
        pass
    with pytest.raises(DamagedFile), reading(tmp_path / "nowhere"):
        pass


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot make this folder"):
        write(tmp_path / "model", CONFIG, {"w": np.zeros(1)})


@pytest.mark.parametrize(
    "model", ["ordering/linear", "ordering/pairwise", "salads/context", "salads/reader"]
)
def test_what_ships_has_a_card(model: str) -> None:
    folder = shipped(model)
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["model"] == model
    assert "Licence" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_vocabulary_keeps_its_order_and_a_missing_one_is_a_damaged_model(tmp_path: Path) -> None:
    folder = write(tmp_path, CONFIG, {"w": np.arange(3.0)})
    with pytest.raises(DamagedFile, match="not a trained model"), reading(folder):
        read_words(folder)
    write_words(folder, ["", "zoo", "été", "a"])
    with reading(folder):
        assert read_words(folder) == ("", "zoo", "été", "a")
