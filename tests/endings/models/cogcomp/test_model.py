from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fabula.endings.adapters import call
from fabula.endings.items import Ending
from fabula.endings.metrics import accuracy
from fabula.endings.models.cogcomp import aspects as aspects_module
from fabula.endings.models.cogcomp.aspects import Events, Mood, Topic
from fabula.endings.models.cogcomp.lines import read_lines
from fabula.endings.models.cogcomp.mixture import Flat, Mixture
from fabula.endings.models.cogcomp.model import CogComp
from fabula.errors import UnknownName, UsageError
from fabula.testing import check_model

STORIES = [
    (("Ann planted seeds.", "She watered them.", "The sun shone."), "Flowers grew.", "Ann ate."),
    (("Bob bought a ticket.", "He boarded the train.", "It was late."), "Bob arrived.", "He grew."),
    (("Cy lost his dog.", "He searched the park.", "He cried."), "Cy was sad.", "Cy was happy."),
    (("Dee won a prize.", "She smiled.", "It was wonderful."), "Dee was happy.", "Dee was sad."),
]  # fmt: skip


def items(n: int) -> list[Ending]:
    rng = random.Random(0)
    made = []
    for i in range(n):
        context, right, wrong = STORIES[i % len(STORIES)]
        gold = rng.randrange(2)
        made.append(Ending(f"s{i}", context, (right, wrong) if gold == 0 else (wrong, right), gold))
    return made


class Hashed:
    """An encoder without weights: words as signs by their own letters."""

    def encode(self, sentences: list[str]) -> Any:
        rows = np.zeros((len(sentences), 16))
        for row, text in zip(rows, sentences, strict=True):
            for word in text.lower().strip(".").split():
                row[sum(map(ord, word)) % 16] += 1
        return rows


@pytest.fixture(autouse=True)
def _no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aspects_module, "find_encoder", lambda _: Hashed())


def test_a_line_has_events_and_words() -> None:
    line = read_lines(["He was not happy and he didn't buy the new car."])
    (found,) = line.values()
    assert [str(event) for event in found.events] == ["not_be_happy->subj", "not_buy->subj"]
    assert found.words == ("buy", "car")


def test_events_that_followed_in_training_are_likelier() -> None:
    aspect = Events().fit(items(8))
    asked = Ending("q", STORIES[0][0], ("Flowers grew.", "Bob arrived."))
    given, by_itself, gain, unseen = aspect.features([asked]).T
    assert gain[0] > gain[1] and given[0] > given[1]
    assert by_itself[0] == pytest.approx(by_itself[1]) and (unseen == 0).all()


def test_an_ending_without_events_says_nothing() -> None:
    rows = Events().fit(items(4)).features([Ending("q", ("It rained.",), ("Oh no!", "Hm."))])
    assert (rows == rows[0]).all()


def test_moods_that_followed_in_training_are_likelier() -> None:
    aspect = Mood().fit(items(8))
    sad = Ending("q", STORIES[2][0], ("Cy was very sad.", "Cy was happy."))
    rows = aspect.features([sad])
    assert rows[0, 0] > rows[1, 0]
    total = sum(aspect.chance((-1, 0, 1), end) for end in (-1, 0, 1))
    assert total == pytest.approx(1.0)


def test_words_of_the_story_count_one() -> None:
    aspect = Topic().fit(items(8))
    rows = aspect.features([Ending("q", ("Ann planted seeds.",), ("Seeds planted.", "Zzyx."))])
    assert rows[0, 0] == pytest.approx(1.0) and rows[1, 0] < 1.0


def blocks(n: int, seed: int = 0) -> tuple[dict[str, Any], Any, Any, Any]:
    """Each item is decided by one of two aspects, the one whose options lie far apart."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    x = {name: rng.normal(0, 0.1, (n, 2, 1)) for name in ("one", "two")}
    for i in range(n):
        name = "one" if i % 2 else "two"
        x[name][i, gold[i]] += 3
        x["two" if i % 2 else "one"][i, 0] += rng.normal(0, 0.3)
    sizes = np.full(n, 2)
    return {k: v.reshape(-1, 1) for k, v in x.items()}, sizes, np.arange(n) * 2 + gold, gold


@pytest.mark.parametrize("make", [Mixture, Flat])
def test_both_ways_find_what_decides(make: Any) -> None:
    x, sizes, right, _ = blocks(200)
    model = make(penalty=0.1).fit(x, sizes, right)
    y, sizes, _, gold = blocks(100, seed=1)
    logs = model.log_shares(y, sizes).reshape(-1, 2)
    assert np.allclose(np.exp(logs).sum(axis=1), 1)
    assert (logs.argmax(axis=1) == gold).mean() > 0.95


def test_em_never_goes_down() -> None:
    x, sizes, right, _ = blocks(120)
    path = Mixture(rounds=15).fit(x, sizes, right).path_
    assert len(path) > 1 and all(b >= a - 1e-3 for a, b in pairwise(path))


@pytest.mark.parametrize("way", ["mixture", "flat"])
def test_it_trains_saves_and_beats_chance(way: str) -> None:
    model = CogComp(aspects="events,sentiment,topic", way=way, folds=2)
    some = items(12)
    check_model("endings", model, some)
    right = [accuracy(i, s).total for i, s in zip(some, call(model, some), strict=True)]
    assert np.mean(right) > 0.7


def test_bad_calls_say_so() -> None:
    with pytest.raises(UsageError, match="cogcomp is not trained"):
        CogComp().score(items(1))
    with pytest.raises(UsageError, match="cogcomp is not trained"):
        CogComp().save("nowhere")
    with pytest.raises(UnknownName, match="unknown aspect 'event': did you mean 'events'"):
        CogComp(aspects="event").fit(items(8))
    with pytest.raises(UnknownName, match="way to join aspects 'mix'"):
        CogComp(way="mix").fit(items(8))
    with pytest.raises(UsageError, match="1 items in 5 folds"):
        CogComp().fit(items(1))
