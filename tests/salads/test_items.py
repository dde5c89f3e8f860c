from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InputError, UsageError
from fabula.salads.items import Grouping, Salad, call, check, present, read_salads

GOOD: dict[str, Any] = {"id": "a", "sentences": ["One.", "Two.", "Three."], "labels": [0, 1, 0]}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_salad_comes_back_as_it_was(tmp_path: Path) -> None:
    salad = Salad(
        id="a",
        sentences=("One.", "Two.", "Three."),
        labels=(0, 1, 0),
        also={1: (0,)},
        stories=2,
        documents=("x", "y"),
        positions=(0, 0, 1),
        cosine=0.25,
        events=((("rain",),), (), (("stay", "we"),)),
    )
    assert list(read_salads(write(tmp_path / "a.jsonl", salad.to_row()))) == [salad]


def test_what_is_left_out(tmp_path: Path) -> None:
    row = {"id": None, "sentences": ["One.", "Two."], "labels": [4, 7]}
    (salad,) = read_salads(write(tmp_path / "a.jsonl", row))
    assert salad.id == "1" and salad.stories == 2 and salad.documents == ()
    (blind,) = read_salads(write(tmp_path / "b.jsonl", {"sentences": ["One."]}))
    assert blind.labels is None and blind.stories is None
    assert blind.to_row() == {"id": "1", "sentences": ["One."], "documents": []}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"sentences": None}, "'sentences' must be a list of at least one string"),
        ({"sentences": []}, "'sentences' must be a list of at least one string"),
        ({"sentences": "One."}, "'sentences' must be a list"),
        ({"sentences": ["One.", 2, "Three."]}, "'sentences' must be a list"),
        ({"labels": [0, 1]}, "2 labels for 3 sentences"),
        ({"labels": [0, 1, -1]}, "'labels' must be a list of numbers from 0"),
        ({"labels": [0, 1, True]}, "'labels' must be a list of numbers from 0"),
        ({"labels": ["0", "1", "0"]}, "'labels' must be a list of numbers from 0"),
        ({"labels": 3}, "'labels' must be a list of numbers from 0"),
        ({"also": {"3": [1]}}, r"'also' names a sentence outside 0\.\.2"),
        ({"also": {"-1": [1]}}, "'also' must map the number of a sentence"),
        ({"also": {"one": [1]}}, "'also' must map the number of a sentence"),
        ({"also": [[1]]}, "'also' must map the number of a sentence"),
        ({"also": {"1": 1}}, "'also' must be a list of numbers"),
        ({"also": {"1": ["x"]}}, "'also' must be a list of numbers"),
        ({"stories": 0}, "'stories' must be a number from 1; it is 0"),
        ({"stories": "two"}, "'stories' must be a number from 1; it is 'two'"),
        ({"stories": 2.0}, "'stories' must be a number from 1"),
        ({"documents": 5}, "'documents' must be a list of ids"),
        ({"positions": [0, 1]}, "2 positions for 3 sentences"),
        ({"positions": ["a", "b", "c"]}, "'positions' must be a list of numbers"),
        ({"cosine": "high"}, "'cosine' must be a number; it is 'high'"),
    ],
)
def test_a_wrong_field_names_file_and_line(tmp_path: Path, change: Any, problem: str) -> None:
    path = write(tmp_path / "a.jsonl", GOOD, {**GOOD, "id": "b", **change})
    with pytest.raises(InputError, match=rf"a\.jsonl:2: {problem}"):
        list(read_salads(path))


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl:1: 'sentences' is missing"):
        list(read_salads(write(tmp_path / "a.jsonl", {"id": "a"})))


salads = st.integers(1, 12).map(
    lambda n: Salad(
        id=f"n{n}",
        sentences=tuple(f"Sentence {i}." for i in range(n)),
        labels=tuple(i % 3 for i in range(n)),
        also={0: (1,)},
        stories=3,
        documents=("x", "y", "z"),
        positions=tuple(range(n)),
        cosine=0.5,
        events=tuple(((str(i),),) for i in range(n)),
        extra={"note": "labels 0 1 2"},
    )
)


@given(salads, st.integers())
def test_restore_undoes_present(salad: Salad, seed: int) -> None:
    view = present(salad, random.Random(seed), {})
    order = [salad.sentences.index(sentence) for sentence in view.item.sentences]
    assert sorted(order) == list(range(len(order)))
    # The answer names each sentence by its own number, so a wrong way back cannot hide.
    answer = Grouping(tuple(order), tuple(i / 100 for i in order))
    assert view.restore(answer) == Grouping(
        tuple(range(len(order))), tuple(i / 100 for i in range(len(order)))
    )


@given(salads)
def test_a_model_sees_neither_gold_nor_where_a_sentence_came_from(salad: Salad) -> None:
    seen = present(salad, random.Random(0), {}).item
    assert seen.labels is None and seen.also == {} and seen.documents == ()
    assert seen.positions == () and seen.cosine is None and seen.stories == 3
    order = [salad.sentences.index(sentence) for sentence in seen.sentences]
    assert seen.extra == {} and seen.events == tuple(((str(i),),) for i in order)
    assert present(salad, random.Random(0), {"unknown_k": True}).item.stories is None


def test_sentences_are_shuffled() -> None:
    salad = Salad("a", tuple("abcdefgh"))
    orders = {present(salad, random.Random(seed), {}).item.sentences for seed in range(9)}
    assert len(orders) == 9


@pytest.mark.parametrize(
    ("labels", "probabilities", "problem"),
    [
        ((0,), (1.0, 1.0), "gave 1 labels and 2 probabilities"),
        ((0, 1), (1.0,), "gave 2 labels and 1 probabilities"),
        ((0, 1), (1.0, 1.5), r"outside 0\.\.1"),
        ((0, 1), (1.0, float("nan")), r"outside 0\.\.1"),
        ((0, 1), (1.0, 1.0), "1 stories were asked for, 2 came"),
    ],
)
def test_a_bad_answer_is_refused(labels: Any, probabilities: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        check(Salad("a", ("One.", "Two."), stories=1), Grouping(labels, probabilities))


def test_a_good_answer_passes() -> None:
    check(Salad("a", ("One.", "Two.")), Grouping((5, 9), (0.0, 1.0)))
    check(Salad("a", ("One.", "Two."), stories=3), Grouping((1, 1), (0.5, 0.5)))


def test_a_model_may_answer_with_any_iterable() -> None:
    class Model:
        def group(self, salads: list[Salad]) -> Any:
            return (Grouping((0,), (1.0,)) for _ in salads)

    assert call(Model(), [Salad("a", ("One.",))]) == [Grouping((0,), (1.0,))]
