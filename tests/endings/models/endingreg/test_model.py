from __future__ import annotations

import random
from pathlib import Path

import pytest

from fabula.endings.adapters import call
from fabula.endings.items import Ending
from fabula.endings.leakage import mark, marks
from fabula.endings.metrics import accuracy
from fabula.endings.models.constant import Constant
from fabula.endings.models.endingreg.model import EndingReg
from fabula.errors import UnknownName, UsageError
from fabula.testing import check_model


def biased(n: int, seed: int = 0) -> list[Ending]:
    """Wrong endings deny things, as hurried authors make them; the context is of no use."""
    rng = random.Random(seed)
    names, things = ["Ann", "Bob", "Cy", "Dee"], ["cake", "car", "book", "song", "dog"]
    items = []
    for i in range(n):
        who, what = rng.choice(names), rng.choice(things)
        right, wrong = f"{who} loved the {what}.", f"{who} did not want a {what}."
        gold = rng.randrange(2)
        options = (right, wrong) if gold == 0 else (wrong, right)
        items.append(Ending(f"i{i}", (f"{who} had a {what}.",), options, gold))
    return items


def share(model: EndingReg | Constant, items: list[Ending]) -> float:
    scores = call(model, items)
    return sum(accuracy(i, s).total for i, s in zip(items, scores, strict=True)) / len(items)


@pytest.fixture(scope="module")
def trained() -> EndingReg:
    return EndingReg(groups="sentiment,chars").fit(biased(60))


def test_it_finds_the_bias_that_is_there(trained: EndingReg) -> None:
    test = biased(40, seed=1)
    assert share(Constant(), test) == 0.5
    assert share(trained, test) == 1.0


def test_it_never_reads_the_context(trained: EndingReg) -> None:
    item = biased(1, seed=2)[0]
    other = Ending(item.id, (), item.options)
    assert call(trained, [item]) == call(trained, [other])


def test_independent_decisions_may_tie(trained: EndingReg) -> None:
    model = EndingReg(groups="sentiment,chars", decision="independent", grid=(1.0,))
    model.fit(biased(60))
    twice = Ending("t", (), ("Ann loved the cake.", "Bob loved the dog."), 0)
    assert call(model, [twice]) == [(1.0, 1.0)]
    assert set(sum(call(model, biased(20, seed=3)), ())) <= {0.0, 1.0}


def test_all_groups_train_save_and_load() -> None:
    check_model("endings", EndingReg(grid=(0.1, 1.0), folds=2), biased(6))


def test_c_is_chosen_on_dev_items_if_there_are_any() -> None:
    model = EndingReg(groups="chars", grid=(0.01, 1.0)).fit(biased(30), biased(10, seed=5))
    assert model.c_ in (0.01, 1.0)
    item = biased(10, seed=5)[0]
    assert set(marks(item)) & model.training_marks_  # tuned on is seen, too


def test_what_was_trained_on_is_remembered(trained: EndingReg, tmp_path: Path) -> None:
    trained.save(tmp_path)
    loaded = EndingReg.load(tmp_path)
    item = biased(60)[7]
    assert item.gold is not None
    learnt = loaded.training_marks_
    assert mark(item.context, item.options[item.gold]) in learnt == trained.training_marks_
    assert not any(m in learnt for m in marks(Ending("n", ("New.",), item.options)))


def test_bad_calls_say_so() -> None:
    with pytest.raises(UsageError, match="endingreg is not trained"):
        EndingReg().score(biased(1))
    with pytest.raises(UsageError, match="endingreg is not trained"):
        EndingReg().save("nowhere")
    with pytest.raises(UnknownName, match="unknown decision 'pairs': did you mean 'pair'"):
        EndingReg(decision="pairs").fit(biased(2))
    with pytest.raises(UsageError, match="grid must hold"):
        EndingReg(grid=()).fit(biased(2))
    with pytest.raises(UsageError, match="folds must be 2 or more"):
        EndingReg(folds=1).fit(biased(2))
    with pytest.raises(UsageError, match="item 'b' has no gold answer"):
        EndingReg().fit([Ending("b", (), ("x", "y"))])
    with pytest.raises(UsageError, match="no items to train on"):
        EndingReg().fit([])
