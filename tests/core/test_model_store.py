"""Saving and loading of trained models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fabula.core.model_store import SavedModel, State, reading, shipped_folder, write
from fabula.errors import DamagedFile, InputError, UsageError

CONFIG = {"model": "toy/toy", "parameters": {"a": 1}}


class Toy(SavedModel):
    """Learns a matrix, a bias and a vocabulary."""

    registered, fitted, has_words = "toy/toy", "matrix_", True
    unsaved = ("encoder",)

    def __init__(self, *, size: int = 2, path: Path | None = None, encoder: object = None) -> None:
        self.size = size
        self.path = path
        self.encoder = encoder

    def fit(self) -> Toy:
        self.matrix_ = np.arange(2.0 * self.size).reshape(2, self.size)
        self.bias_ = 0.1
        self.words_: tuple[str, ...] = ("", "zoo", "été", "a")
        return self

    def state(self) -> State:
        return State({"bias": self.bias_}, {"matrix": self.matrix_}, self.words_)

    def restore(self, state: State) -> None:
        self.bias_, self.words_ = state.values["bias"], state.words
        self.matrix_ = state.arrays["matrix"]
        if self.matrix_.shape != (2, self.size):
            raise ValueError("another size")


def test_a_model_is_saved_and_loaded(tmp_path: Path) -> None:
    model = Toy(size=3, path=Path("a"), encoder=object()).fit()
    model.save(tmp_path / "deep" / "model")
    config = {"model": "toy/toy", "parameters": {"size": 3, "path": "a"}, "bias": 0.1}
    written = (tmp_path / "deep" / "model" / "config.json").read_text(encoding="utf-8")
    assert written == json.dumps(config, indent=1) + "\n"
    loaded = Toy.load(tmp_path / "deep" / "model")
    assert (loaded.size, loaded.bias_, loaded.words_) == (3, 0.1, model.words_)
    assert np.array_equal(loaded.matrix_, model.matrix_)


def test_a_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    model = Toy().fit()
    model.save(tmp_path)
    assert Toy.load(tmp_path).fingerprint() == model.fingerprint()
    different = [Toy().fit() for _ in range(3)]
    different[0].matrix_[0, 0] += 1
    different[1].bias_ += 1
    different[2].words_ = ("",)
    names = {other.fingerprint() for other in [model, Toy().fit(), *different]}
    assert len(names) == 4


def test_an_untrained_model_says_how_to_train_it(tmp_path: Path) -> None:
    message = "toy is not trained; train it with 'fabula train toy/toy FILE -o FOLDER'"
    with pytest.raises(UsageError, match=message):
        Toy().save(tmp_path)
    with pytest.raises(UsageError, match=message):
        Toy().fingerprint()


def test_shipped_weights_are_taken_over_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Shipped(Toy):
        ships = True

    Toy().fit().save(tmp_path)
    monkeypatch.setattr("fabula.core.model_store.shipped_folder", lambda name: tmp_path)
    first, second = Shipped(), Shipped()
    first.ensure_trained()
    second.ensure_trained()
    assert first.matrix_ is second.matrix_ is Shipped.shipped().matrix_


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", b"{"),
        ("config.json", b"[]"),
        ("config.json", b'{"model": "toy/toy", "parameters": {"size": 2}}'),
        ("config.json", b'{"model": "toy/toy", "parameters": {"size": 4}, "bias": 1}'),
        ("config.json", b'{"model": "toy/toy", "parameters": {"siz": 2}, "bias": 1}'),
        ("weights.safetensors", b"short"),
        ("vocabulary.json", b"7"),
        ("vocabulary.json", None),
        ("weights.safetensors", None),
        ("config.json", None),
    ],
)
def test_a_damaged_folder_is_refused(file: str, content: bytes | None, tmp_path: Path) -> None:
    Toy().fit().save(tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(DamagedFile, match=r"not a trained model \(.*\); train it again"):
        Toy.load(tmp_path)


def test_the_two_files_by_hand(tmp_path: Path) -> None:
    folder = write(tmp_path / "model", CONFIG, {"w": np.arange(3.0)})
    with reading(folder) as (config, weights):
        assert config == CONFIG
        assert weights["w"].tolist() == [0, 1, 2]
    with pytest.raises(DamagedFile, match="not a trained model"), reading(folder) as (config, _):
        config["absent"]


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot make this folder"):
        Toy().fit().save(tmp_path / "model")


@pytest.mark.parametrize(
    "model", ["ordering/linear", "ordering/pairwise", "salads/context", "salads/reader"]
)
def test_what_ships_has_a_card(model: str) -> None:
    folder = shipped_folder(model)
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["model"] == model
    assert "Licence" in (folder / "README.md").read_text(encoding="utf-8")
