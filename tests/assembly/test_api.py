from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.assembly import Assembly, assemble
from fabula.errors import InputError, UsageError
from fabula.ordering import Order, Text
from fabula.salads import Grouping, Salad
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document

SENTENCES = [
    "The ferry left the harbour in thick fog.",
    "Flour dust hung in the bakery at dawn.",
    "The captain of the ferry sounded the horn.",
    "The baker pulled the loaves from the oven.",
    "A small boat drifted across the bow.",
]


class Dealer:
    """Deals sentences out to stories by a fixed list; ``sure`` of each."""

    def __init__(self, labels: Sequence[int], sure: float = 0.9) -> None:
        self.labels, self.sure = labels, sure

    def group(self, salads: list[Salad]) -> list[Grouping]:
        return [
            Grouping(tuple(self.labels[: len(s.sentences)]), (self.sure,) * len(s.sentences))
            for s in salads
        ]


class Backwards:
    """Turns every text round, ``sure`` of every pair."""

    def __init__(self, sure: float = 0.8) -> None:
        self.sure = sure

    def order(self, texts: list[Text]) -> list[Order]:
        return [self._order(len(text.units)) for text in texts]

    def _order(self, n: int) -> Order:
        before = np.full((n, n), 1 - self.sure, dtype=np.float32)
        return Order(tuple(reversed(range(n))), before + np.tril(2 * self.sure - 1 + 0 * before))


def run(texts: Any, labels: Sequence[int] = (0,) * 99, **options: Any) -> Assembly:
    options = {"untangler": Dealer(labels), "orderer": Backwards(), **options}
    return assemble(texts, **options)


def told(assembly: Assembly) -> list[tuple[Any, ...]]:
    return [
        (p.sentence.source, p.sentence.line, p.sentence.start, p.sentence.text)
        for story in assembly.stories
        for p in story.sentences
    ]


piles = st.lists(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map("\n".join),
    min_size=1,
    max_size=5,
)


@given(piles, st.lists(st.integers(0, 3), min_size=20, max_size=20))
def test_every_sentence_is_in_one_story(pile: list[str], labels: list[int]) -> None:
    found = run(pile, labels)
    given_ = [
        (f"text {place}", s.line, s.start, s.text)
        for place, text in enumerate(pile, 1)
        for s in split_sentences(text)
    ]
    assert sorted(told(found)) == sorted(given_)
    assert len(given_) == sum(text.count("\n") + 1 for text in pile)
    for story in found.stories:
        assert [p.position for p in story.sentences] == list(range(1, len(story.sentences) + 1))


@given(piles, st.lists(st.integers(0, 3), min_size=20, max_size=20))
def test_stories_are_numbered_by_their_first_sentence(pile: list[str], labels: list[int]) -> None:
    found = run(pile, labels)
    assert [story.id for story in found.stories] == list(range(1, len(found.stories) + 1))
    order = [(f"text {i}", s.line) for i, t in enumerate(pile, 1) for s in split_sentences(t)]
    firsts = [
        min(order.index((str(p.sentence.source), p.sentence.line)) for p in story.sentences)
        for story in found.stories
    ]
    assert firsts == sorted(firsts)


def test_models_decide_stories_and_orders() -> None:
    found = run(["\n".join(SENTENCES[:4])], [7, 3, 7, 3])
    assert [[p.sentence.text for p in story.sentences] for story in found.stories] == [
        [SENTENCES[2], SENTENCES[0]],
        [SENTENCES[3], SENTENCES[1]],
    ]
    assert {p.probability for story in found.stories for p in story.sentences} == {0.9}
    assert found.stories[0].order_confidence == pytest.approx(0.8)
    assert found.notes == ()


def test_documents_keep_their_names_and_lines() -> None:
    document = Document("d", (SENTENCES[0], SENTENCES[1]), source="a.txt", lines=(4, 9))
    assert sorted(told(run(document))) == [
        ("a.txt", 4, 0, SENTENCES[0]),
        ("a.txt", 9, 0, SENTENCES[1]),
    ]


def test_one_string_is_one_text() -> None:
    assert told(run(SENTENCES[0])) == told(run([SENTENCES[0]]))
    assert told(run(SENTENCES[0]))[0][0] == "text 1"


@pytest.mark.parametrize("nothing", [[], "", [" \n "], ["\u200b"]])
def test_empty_input(nothing: Any) -> None:
    with pytest.raises(InputError, match="no sentence"):
        run(nothing)


@pytest.mark.parametrize("stories", [0, 3])
def test_an_impossible_number_of_stories(stories: int) -> None:
    with pytest.raises(UsageError, match=r"between 1 and the number of sentences \(2\), or auto"):
        run(SENTENCES[:2], stories=stories)


def test_the_number_of_stories_reaches_the_model() -> None:
    with pytest.raises(UsageError, match="2 stories were asked for, 3 came"):
        run(SENTENCES, [0, 1, 2, 0, 1], stories=2)
    assert len(run(SENTENCES, [0, 1, 2, 0, 1], stories=1).stories) == 1  # no model is asked


def test_doubts_are_noted() -> None:
    unsure = "The stories cannot be separated with any confidence."
    found = run(SENTENCES, [0, 1, 0, 1, 2], untangler=Dealer([0, 1, 0, 1, 2], sure=0.4))
    assert found.notes == (unsure,)
    shaky = run(SENTENCES, [0, 1, 0, 1, 2], orderer=Backwards(sure=0.55))
    assert shaky.notes == ("Story 1: order unsure.", "Story 2: order unsure.")
    one = run(SENTENCES, [0] * 5, untangler=Dealer([0] * 5, sure=0.1))
    assert one.notes == ()  # one story: none to separate


def test_another_language_is_noted() -> None:
    german = [
        "Die Fähre verließ den Hafen im dichten Nebel, und der Kapitän ließ das Horn blasen."
    ] * 4
    assert any("does not look English" in note for note in run(german).notes)
    mixed = [Document("de", (" ".join(german[:2]),)), Document("en", (" ".join(SENTENCES * 3),))]
    assert any(note.startswith("document 1 does not look English") for note in run(mixed).notes)


def test_stories_have_distinctive_titles() -> None:
    found = run(["\n".join(SENTENCES[:4])], [0, 1, 0, 1])
    first, second = (story.title for story in found.stories)
    assert "ferry" in first.lower() and first != second
