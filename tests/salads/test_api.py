from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from fabula.errors import UnknownName, UsageError
from fabula.salads import TASK, Grouping, Salad, untangle
from fabula.salads.api import changes
from fabula.salads.build.mix import build_salads, read_sources
from fabula.salads.models.centred import Centred
from fabula.salads.models.context.model import Context
from fabula.salads.models.unif import Unif
from fabula.types import Document


class Letters:
    """An encoder of two dimensions: how often ``a`` and ``b`` are said."""

    def encode(self, sentences: list[str]) -> list[list[float]]:
        return [[text.count("a"), text.count("b")] for text in sentences]


def test_untangle_sentences() -> None:
    found = untangle(
        ["aaa", "bbb", "aa", "bb", "a", "b"], stories=2, model=Centred(encoder=Letters())
    )
    assert found.labels == (1, 2) * 3


def test_little_is_one_story() -> None:
    assert untangle([]).labels == ()
    assert untangle(["One."]).labels == (1,)
    both = untangle(["One.", "Two."], stories=1)
    assert (both.labels, both.probabilities, both.runner_up) == ((1, 1), (1.0, 1.0), (None, None))


@pytest.mark.parametrize("stories", [0, -1, 3])
def test_a_number_of_stories_that_cannot_be(stories: int) -> None:
    with pytest.raises(UsageError, match=r"between 1 and the number of sentences \(2\)"):
        untangle(["One.", "Two."], stories=stories)


def test_one_string_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="takes a list of sentences"):
        untangle("One. Two.")


def test_a_model_that_breaks_its_contract_is_refused() -> None:
    class Short:
        def group(self, salads: Any) -> list[Grouping]:
            return [Grouping((0,), (1.0,))]

    with pytest.raises(UsageError, match="has 3 sentences; the model gave 1 labels"):
        untangle(["One.", "Two.", "Three."], model=Short())


def test_an_unknown_encoder_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown encoder 'minilmm': did you mean 'minilm'"):
        untangle(["One.", "Two.", "Three."], model="centred:minilmm")


@pytest.mark.parametrize("row", [np.zeros(4), np.ones(4)])
def test_sentences_no_encoder_can_tell_apart(row: Any) -> None:
    class Blind:
        def encode(self, sentences: list[str]) -> Any:
            return np.stack([row] * len(sentences))

    found = untangle(list("abcdef"), stories=2, model=Centred(encoder=Blind()))
    assert found.labels == (1,) * 6
    assert untangle(list("abcdef"), model=Centred(encoder=Blind())).stories == 1


def test_answers_survive_storing() -> None:
    answer = Grouping((0, 1, 0), (0.5, 0.75, 1.0))
    assert TASK.from_row(TASK.to_row(answer)) == answer


def test_unif_tells_nothing_apart() -> None:
    told = Salad("a", ("One.", "Two.", "Three."), stories=2)
    assert Unif().group([told]) == [Grouping((0, 0, 0), (0.5, 0.5, 0.5))]
    assert Unif().group([Salad("b", ("One.",))]) == [Grouping((0,), (1.0,))]


@pytest.fixture(scope="module")
def sources(articles: list[Document]) -> list[Any]:
    return read_sources(articles)[0]


def accuracy(model: Any, salads: list[Salad]) -> float:
    views = [TASK.present(salad, random.Random(salad.id), {}) for salad in salads]
    answers = model.group([view.item for view in views])
    scores = [
        TASK.metrics["CA"](salad, view.restore(answer)).total
        for salad, view, answer in zip(salads, views, answers, strict=True)
    ]
    return sum(scores) / len(scores)


@pytest.mark.parametrize(("recipe", "margin"), [("random", 0.3), ("same-category", 0.08)])
def test_centred_beats_unif(sources: list[Any], recipe: str, margin: float) -> None:
    salads = list(build_salads(sources, recipe=recipe, n=40))
    assert accuracy(Centred(), salads) > accuracy(Unif(), salads) + margin


def test_the_number_of_stories_is_respected(sources: list[Any]) -> None:
    for salad in build_salads(sources, n=6, documents=(3, 5)):
        (found,) = Centred().group([TASK.present(salad, random.Random(0), {}).item])
        assert found.stories == salad.stories


PILE = [
    "Captain Rook left Skelhaven harbour in the trawler Marigold.",
    "The mill at Brandle stopped when the river rose.",
    "Rook turned the Marigold towards Gannet Point.",
    "Hallam sent the weavers of the Brandle mill home.",
    "The Marigold burned flares off Gannet Point.",
    "At the mill Hallam stacked bags against the river.",
]


class Pairs:
    """A model whose pair log-odds are known: even against odd sentences."""

    whole = 100

    def group(self, salads: Any) -> list[Grouping]:
        raise AssertionError("the pair log-odds are to be used")

    def pair_odds(self, salads: Any) -> list[Any]:
        even = [np.arange(len(salad.sentences)) % 2 for salad in salads]
        return [np.where(e[:, None] == e[None, :], 1.0, -1.0) for e in even]

    def certainty(self, odds: Any, labels: Any) -> Grouping:
        return Grouping(tuple(labels.tolist()), (0.9,) * len(labels))


def test_together_and_apart_are_honoured() -> None:
    plain = untangle(PILE, model=Pairs())
    assert plain.labels == (1, 2, 1, 2, 1, 2)
    tied = untangle(PILE, together=[(0, 1)], stories=2, model=Pairs())
    assert tied.labels[0] == tied.labels[1]
    parted = untangle(PILE, apart=[(0, 2, 4)], model=Pairs())
    assert len({parted.labels[i] for i in (0, 2, 4)}) == 3


def test_constraints_that_cannot_be_kept_are_errors() -> None:
    with pytest.raises(UsageError, match="sentences 1 and 2 are to be kept together and apart"):
        untangle(PILE, together=[(0, 2), (2, 1)], apart=[(0, 1)], model=Pairs())
    with pytest.raises(UsageError, match="names sentence 7; there are sentences 1 to 6"):
        untangle(PILE, together=[(0, 6)], model=Pairs())
    with pytest.raises(UsageError, match="does not fit into 2 stories"):
        untangle(PILE, apart=[(0, 2, 4)], stories=2, model=Pairs())
    with pytest.raises(UsageError, match="needs a model that scores pairs"):
        untangle(PILE, apart=[(0, 1)], model=Centred(encoder=Letters()))


def test_old_numbers_are_kept_and_changes_are_told() -> None:
    before = {PILE[1]: 7, PILE[3]: 7, PILE[0]: 4}
    found = untangle(PILE, previous=before, model=Pairs())
    assert found.labels == (4, 7, 4, 7, 4, 7)
    now = dict(zip(PILE, found.labels, strict=True))
    assert {row["text"] for row in changes(before, now)} == {PILE[2], PILE[4], PILE[5]}
    alone = [(6, i) for i in range(6)]
    grown = untangle([*PILE, "x"], previous={**now, "y": 9}, apart=alone, model=Pairs())
    assert grown.labels[6] == 10  # a new story gets a number never used


def test_why_names_the_pull_and_what_is_shared() -> None:
    found = untangle(PILE, model=Pairs())
    pulls = {pull.sentence: pull.shared for pull in found.why[0]}
    assert set(pulls) == {2, 4}
    assert "marigold" in pulls[2]
    assert found.runner_up == (2, 1, 2, 1, 2, 1)


def test_what_would_move_a_sentence() -> None:
    class Held(Pairs):
        """Sentence 1 is held by sentence 3 alone, and 2, 4, 6 would have it."""

        def pair_odds(self, salads: Any) -> list[Any]:
            (odds,) = super().pair_odds(salads)
            odds[0] = odds[:, 0] = [0.0, 0.2, 2.0, 0.2, 0.1, 0.2]
            return [odds]

    found = untangle(PILE, stories=2, model=Held())
    assert found.labels == (1, 2, 1, 2, 1, 2)
    assert found.moved_without[0] == (2,)  # then 0.1 pulls here and 0.6 there
    assert found.moved_without[1] == ()  # the other story never pulls it
    assert untangle(PILE, model=Pairs()).moved_without == ((),) * 6
    assert untangle(["One."]).moved_without == ()


def test_the_shipped_model_untangles_a_small_pile() -> None:
    found = untangle(PILE, stories=2, model="context")
    assert found.labels == (1, 2, 1, 2, 1, 2)
    assert found == untangle(PILE, stories=2, model="context")


def test_a_long_text_is_placed_part_by_part_with_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    class Words:
        def encode(self, sentences: list[str]) -> list[list[float]]:
            return [[float("ship" in s), float("bread" in s), 0.1] for s in sentences]

    monkeypatch.setattr(Context, "whole", 12)
    lines = [f"The {'ship' if i % 2 else 'bread'} was seen again, {i}." for i in range(30)]
    found = untangle(lines, stories=2, model=Context(encoder=Words()))
    assert found.labels == (1, 2) * 15
    assert found.runner_up == (2, 1) * 15
    assert found.odds is None
    assert sum(map(bool, found.why)) > 15
    for i, why in enumerate(found.why):
        assert all(pull.sentence != i and pull.sentence % 2 == i % 2 for pull in why)
    with pytest.raises(UsageError, match="at most 12 sentences"):
        untangle(lines, together=[(0, 1)], model=Context(encoder=Words()))
