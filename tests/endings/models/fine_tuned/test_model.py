"""fine-tuned: a head over a language model's states, and the items made to train it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from fabula.endings.adapters import call
from fabula.endings.items import Ending
from fabula.endings.metrics import accuracy
from fabula.endings.models.constant import Constant
from fabula.endings.models.fine_tuned.model import FineTuned
from fabula.endings.models.fine_tuned.negatives import read_stories, self_made
from fabula.errors import DamagedFile, UsageError
from fabula.registry import create_model
from fabula.testing import check_model
from fabula.text.lm.likelihood import LanguageModel
from fabula.text.lm.states import branch_states, state_size

pytest.importorskip("transformers", reason='pip install "fabula[lm]"')
pytest.importorskip("sklearn")
from tests.endings.tiny import make_tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("model"), layers=3)


def make(folder: Path, **more: object) -> FineTuned:
    return FineTuned(layers=(1, 3), model=folder, grid=(0.1, 1.0), **more)  # type: ignore[arg-type]


def stories(n: int, seed: int = 0) -> list[Ending]:
    """Whoever it was, it slept: a random language model has no more to tell."""
    rng = random.Random(seed)
    items = []
    for number in range(n):
        one, other = rng.sample(["cat", "dog", "owl", "fox"], 2)
        gold = rng.randrange(2)
        options = [f"The {other} {rng.choice(['sang', 'wept', 'dug'])}." for _ in range(2)]
        options[gold] = f"The {rng.choice([one, other])} slept."
        items.append(Ending(f"{seed}-{number}", (f"A {one} ran.",), tuple(options), gold))
    return items


def share(model: object, items: list[Ending]) -> float:
    found = zip(items, call(model, items), strict=True)
    return sum(accuracy(item, scores).total for item, scores in found) / len(items)


def test_it_learns_and_constant_does_not(folder: Path) -> None:
    model = make(folder, folds=3).fit(stories(80))
    test = stories(60, seed=1)
    assert share(model, test) > 0.9 > 0.6 > share(Constant(), test)
    assert model.without_context == "empty"


def test_the_contract(folder: Path) -> None:
    check_model("endings", make(folder), stories(12))


def test_the_penalty_is_chosen_on_dev_where_there_is_one(folder: Path) -> None:
    items, dev = stories(30), stories(20, seed=2)
    model = make(folder).fit(items, dev)
    right = {}
    for c in (0.1, 1.0):
        right[c] = share(FineTuned(layers=(1, 3), model=folder, grid=(c,)).fit(items), dev)
    assert right[model.c_] == max(right.values())
    learnt = {(i.context, i.options[i.gold or 0]) for i in [*items, *dev]}
    assert len(model.training_marks_) == len(learnt)


def test_two_trainings_are_the_same(folder: Path) -> None:
    one, two = (make(folder, folds=2).fit(stories(20)).head_ for _ in range(2))
    assert np.array_equal(one, two)


def test_self_made_items_take_part(folder: Path) -> None:
    class Letters:
        def encode(self, sentences: list[str]) -> list[list[float]]:
            return [[text.count(letter) + 0.1 for letter in "abcdef"] for text in sentences]

    items = [
        Ending(i.id, ("Once.", *i.context, f"It was number {n}."), i.options, i.gold)
        for n, i in enumerate(stories(16))
    ]
    plain = make(folder, folds=2).fit(items)
    more = make(folder, folds=2, negatives=0.5, encoder=Letters()).fit(items)
    assert not np.allclose(plain.head_, more.head_)
    assert more.training_marks_ == plain.training_marks_


def test_untrained_blind_and_wrong(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="train it with 'fabula train endings/fine-tuned FILE"):
        FineTuned().score(stories(1))
    with pytest.raises(UsageError, match="fine-tuned is not trained"):
        FineTuned().save(tmp_path)
    with pytest.raises(UsageError, match="item 'x' has no gold answer"):
        make(folder).fit([Ending("x", (), ("a", "b"))])
    with pytest.raises(UsageError, match="there is no layer 9; the model has 3"):
        FineTuned(layers=(9,), model=folder).fit(stories(4))
    with pytest.raises(UsageError, match="grid must hold"):
        FineTuned(grid=(), model=folder).fit(stories(4))


def test_a_head_is_for_one_language_model(folder: Path, tmp_path: Path) -> None:
    make(folder).fit(stories(12)).save(tmp_path / "m")
    assert create_model("endings", str(tmp_path / "m")).score(stories(1))
    config = json.loads((tmp_path / "m" / "config.json").read_text())
    config["parameters"]["model"] = str(make_tiny(tmp_path / "other", layers=3, seed=5))
    (tmp_path / "m" / "config.json").write_text(json.dumps(config))
    (tmp_path / "m" / "checksums.json").unlink()
    with pytest.raises(DamagedFile, match="states of another language model"):
        create_model("endings", str(tmp_path / "m"))


def test_states_are_those_of_the_plain_forward_pass(folder: Path) -> None:
    import torch

    from fabula.text.lm.load import load

    reader = LanguageModel(folder)
    options = ["She ate.", "She flew to the moon."]
    (rows,) = branch_states(reader, ["Ann sat."], [options], (1, 2))
    assert rows.shape == (2, state_size(reader, (1, 2))) == (2, 128)
    tokenizer, model = load(folder)
    for option, row in zip(options, rows, strict=True):
        ids = torch.tensor([[0, *tokenizer(f"Ann sat. {option}")["input_ids"]]])
        with torch.inference_mode():
            hidden = model(input_ids=ids, output_hidden_states=True).hidden_states
        size = len(f" {option}")
        expected = [v for at in (1, 2) for v in (hidden[at][0, -1], hidden[at][0, -size:].mean(0))]
        assert row == pytest.approx(torch.cat(expected).numpy(), abs=1e-4)


def test_states_of_long_and_empty_texts(folder: Path) -> None:
    reader = LanguageModel(folder, window=16)
    (rows,) = branch_states(reader, ["abc " * 20], [["x", "y" * 40, ""]], (1,))
    assert rows.shape == (3, 64) and np.isfinite(rows).all()


def test_borrowed_endings(tmp_path: Path) -> None:
    class Same:
        def encode(self, sentences: list[str]) -> list[list[float]]:
            return [[1.0, 0.0]] * len(sentences)

    tales = [("A.", "B.", f"{who} left {n}.") for n, who in enumerate(["She", "He", "She", "He"])]
    items = self_made([*tales, ("too", "short")], encoder=Same(), seed=1)
    assert len(items) == 4
    for item, tale in zip(items, tales, strict=True):
        assert item.context == tale[:2] and item.options[item.gold or 0] == tale[2]
        wrong = item.options[1 - (item.gold or 0)]
        assert wrong != tale[2] and wrong.split()[0] == tale[2].split()[0]
    assert items == self_made([*tales, ("too", "short")], encoder=Same(), seed=1)
    assert self_made(tales[:1], encoder=Same()) == []
    roc = tmp_path / "roc.csv"
    names = ["storyid", "storytitle", *(f"sentence{i}" for i in range(1, 6))]
    roc.write_text(",".join(names) + "\n1,T,a.,b.,c.,d.,e.\n")
    assert read_stories(str(roc)) == [("a.", "b.", "c.", "d.", "e.")]
    (tmp_path / "t.txt").write_text("One fell. Two ran. Three sang.\n")
    assert read_stories(str(tmp_path / "t.txt")) == [("One fell.", "Two ran.", "Three sang.")]
