from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest

from fabula.core.model_store import shipped_folder
from fabula.errors import DamagedFile, InputError, UsageError
from fabula.ordering import TASK, order
from fabula.ordering.build import build_texts
from fabula.ordering.features.hashed import BITS
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import tau
from fabula.ordering.models.linear import Linear
from fabula.ordering.models.random import Random
from fabula.types import Document

KETTLE, LETTER = TASK.examples()


@pytest.fixture(scope="module")
def halves(articles: list[Document]) -> tuple[list[Text], list[Text]]:
    """Windows of the sample articles: every third article is held out."""
    kept = [article for place, article in enumerate(articles) if place % 3]
    held_out = articles[::3]
    return (
        list(build_texts(kept, window=(5, 8))),
        list(build_texts(held_out, window=(5, 8))),
    )


@pytest.fixture(scope="module")
def trained(halves: tuple[list[Text], list[Text]]) -> Linear:
    return Linear(pairs=30, epochs=5).fit(halves[0])


def mean_tau(model: Any, texts: list[Text]) -> float:
    views = [TASK.present(text, random.Random(text.id), {}) for text in texts]
    answers = model.order([view.item for view in views])
    return mean(
        tau(text.gold or (), view.restore(answer).order)
        for text, view, answer in zip(texts, views, answers, strict=True)
    )


def test_linear_beats_random_on_texts_it_has_not_seen(
    trained: Linear, halves: tuple[list[Text], list[Text]]
) -> None:
    assert len(halves[1]) > 30
    floor = mean_tau(Random(), halves[1])
    assert abs(floor) < 0.12
    assert mean_tau(trained, halves[1]) > floor + 0.1


def test_training_repeats(trained: Linear, halves: tuple[list[Text], list[Text]]) -> None:
    again = Linear(pairs=30, epochs=5).fit(halves[0])
    assert np.array_equal(trained.weights_, again.weights_)
    assert not np.array_equal(trained.weights_, Linear(pairs=30, seed=1).fit(halves[0]).weights_)


def test_a_saved_model_comes_back_whole(trained: Linear, tmp_path: Path) -> None:
    trained.save(tmp_path / "deep" / "mine")
    back = Linear.load(tmp_path / "deep" / "mine")
    assert vars(back).keys() == vars(trained).keys()
    assert (back.alpha, back.epochs, back.pairs, back.seed) == (1e-4, 5, 30, 0)
    assert back.order([KETTLE, LETTER]) == trained.order([KETTLE, LETTER])
    assert sorted(path.suffix for path in (tmp_path / "deep/mine").iterdir()) == [
        ".json",
        ".json",
        ".safetensors",
    ]


def test_a_pair_is_judged_the_same_from_both_sides() -> None:
    (forth,) = Linear().order([Text("a", KETTLE.units)])
    assert forth.before + forth.before.T == pytest.approx(np.ones((4, 4)))
    (back,) = Linear().order([Text("a", KETTLE.units[::-1])])
    assert back.before[::-1, ::-1] == pytest.approx(forth.before, abs=1e-6)


def test_units_without_a_word_are_no_trouble() -> None:
    (found,) = Linear().order([Text("a", ("", "...", "", "Then she left.", "\u200b"))])
    assert sorted(found.order) == [0, 1, 2, 3, 4]
    assert np.isfinite(found.before).all()


def test_one_unit_and_none() -> None:
    assert Linear().order([]) == []
    assert Linear().order([Text("a", ("One.",))])[0].order == (0,)


def test_the_shipped_weights() -> None:
    config = json.loads((shipped_folder("ordering/linear") / "config.json").read_text())
    fresh = Linear()
    assert config == {"model": "ordering/linear", "parameters": vars(fresh)}
    weights = Linear.load(shipped_folder("ordering/linear")).weights_
    assert weights.shape == (1 << BITS,) and weights.dtype == np.float16
    assert np.isfinite(weights).all() and np.abs(weights).sum() > 1


def test_the_shipped_weights_know_how_stories_begin_and_end() -> None:
    opening = "A ferry sank in the harbour of Port Ellery on Monday night, killing three people."
    closing = "He said that the inquiry would be finished by the end of the year."
    assert order([closing, opening], model="linear").order == (1, 0)
    assert order([opening, closing], model="linear").order == (0, 1)


@pytest.mark.parametrize("name", ["config.json", "weights.safetensors"])
def test_a_damaged_model_names_its_file(tmp_path: Path, name: str) -> None:
    Linear().save(tmp_path)
    whole = (tmp_path / name).read_bytes()
    for damage in (b"", whole[: len(whole) // 2]):
        (tmp_path / name).write_bytes(damage)
        with pytest.raises(DamagedFile, match=f"{name}: "):
            Linear.load(tmp_path)
    (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(DamagedFile, match="train it again"):
        Linear.load(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(DamagedFile, match=f"{name}: "):
        Linear.load(tmp_path)


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    model = Linear()
    model.weights_ = np.zeros(64, dtype=np.float16)
    model.save(tmp_path)
    with pytest.raises(DamagedFile, match="64 weights, expected"):
        Linear.load(tmp_path)


def test_a_model_cannot_be_saved_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(InputError, match=r"a\.txt: cannot make this folder"):
        Linear().save(tmp_path / "a.txt")


def test_what_cannot_be_trained_on() -> None:
    with pytest.raises(UsageError, match="text 'a' has no gold order; it cannot be trained on"):
        Linear().fit([Text("a", ("One.", "Two."))])
    with pytest.raises(UsageError, match="no text with two or more units"):
        Linear().fit([Text("a", ("One.",), (0,))])


def test_random_is_random_and_repeats() -> None:
    texts = [Text(f"{i}", tuple(f"Unit {j} of {i}." for j in range(5))) for i in range(60)]
    orders = [answer.order for answer in Random().order(texts)]
    assert len(set(orders)) > 30
    assert orders == [answer.order for answer in Random().order(texts)]
    assert orders != [answer.order for answer in Random(seed=1).order(texts)]
    assert isinstance(Random().order(texts[:1])[0], Order)
