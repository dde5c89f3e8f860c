from __future__ import annotations

import random
from pathlib import Path

import pytest

from fabula.endings.adapters import call
from fabula.endings.items import Ending
from fabula.endings.metrics import accuracy
from fabula.endings.models.dssm import Dssm, trigrams
from fabula.errors import UsageError
from fabula.testing import check_model

PAIRS = {"rain": "wet", "sun": "warm", "snow": "cold", "fire": "burnt"}


def stories(n: int, seed: int = 0) -> list[Ending]:
    rng = random.Random(seed)
    made = []
    for i in range(n):
        cause, other = rng.sample(sorted(PAIRS), 2)
        options = [f"He was {PAIRS[cause]}.", f"He was {PAIRS[other]}."]
        gold = rng.randrange(2)
        context = (f"Then came the {cause}.", f"{rng.choice(['Ann', 'Bob'])} saw the {cause}.")
        made.append(Ending(f"s{i}", context, tuple(options if gold == 0 else options[::-1]), gold))
    return made


def small(**changes: float) -> Dssm:
    return Dssm(**{"hidden": 32, "size": 16, "epochs": 8, "rate": 5e-3, **changes})  # type: ignore[arg-type]


def test_words_are_marked_and_cut() -> None:
    assert trigrams("A cat!") == ["#a#", "#ca", "cat", "at#"]
    assert trigrams("...") == []


def test_it_learns_what_follows_what() -> None:
    model = small().fit(stories(120), stories(20, seed=2))
    test = stories(40, seed=1)
    right = [accuracy(i, s).total for i, s in zip(test, call(model, test), strict=True)]
    assert sum(right) / len(right) > 0.9


def test_it_keeps_the_contract() -> None:
    check_model("endings", small(epochs=1), stories(6))


def test_bad_calls_say_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="dssm is not trained"):
        Dssm().score(stories(1))
    with pytest.raises(UsageError, match="dssm is not trained"):
        Dssm().save(tmp_path)
    with pytest.raises(UsageError, match="two different endings"):
        small().fit([Ending("a", ("It rained.",), ("Wet.", "Dry."), 0)])
