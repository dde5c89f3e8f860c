from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.bench.evaluate import evaluate
from fabula.errors import InputError, UsageError
from fabula.ordering import TASK, order
from fabula.ordering.items import Order, Text, check, present, read_texts

GOOD: dict[str, Any] = {"id": "a", "units": ["One.", "Two.", "Three."], "gold": [2, 0, 1]}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def even(n: int) -> Any:
    return np.full((n, n), 0.5, dtype=np.float32)


def test_a_text_comes_back_as_it_was(tmp_path: Path) -> None:
    text = Text("a", ("One.", "Two."), (1, 0))
    blind = Text("b", ("One.",))
    path = write(tmp_path / "a.jsonl", text.to_row(), blind.to_row(), {"id": None, "units": ["x"]})
    assert list(read_texts(path)) == [text, blind, Text("3", ("x",))]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"units": []}, "'units' must be a list of at least one string"),
        ({"units": "One."}, "'units' must be a list"),
        ({"units": ["One.", None, "Two."]}, "'units' must be a list"),
        ({"gold": [0, 1]}, "'gold' must name each of the 3 units once, from 0"),
        ({"gold": [0, 0, 1]}, "'gold' must name each"),
        ({"gold": [1, 2, 3]}, "'gold' must name each"),
        ({"gold": [0.0, 1.0, 2.0]}, "'gold' must name each"),
        ({"gold": [0, "1", 2]}, "'gold' must name each"),
        ({"gold": [False, True, 2]}, "'gold' must name each"),
        ({"gold": "021"}, "'gold' must name each"),
    ],
)
def test_a_wrong_field_names_file_and_line(tmp_path: Path, change: Any, problem: str) -> None:
    with pytest.raises(InputError, match=rf"a\.jsonl:2: {problem}"):
        list(read_texts(write(tmp_path / "a.jsonl", GOOD, {**GOOD, **change})))


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl:1: 'units' is missing"):
        list(read_texts(write(tmp_path / "a.jsonl", {"id": "a"})))


texts = st.integers(1, 10).map(
    lambda n: Text(f"n{n}", tuple(f"Unit {i}." for i in range(n)), tuple(reversed(range(n))))
)


@given(texts, st.integers())
def test_restore_undoes_present(text: Text, seed: int) -> None:
    view = present(text, random.Random(seed), {})
    assert view.item.gold is None and sorted(view.item.units) == sorted(text.units)
    source = [text.units.index(unit) for unit in view.item.units]
    # An answer that tells every pair apart, in the order of the view: the reverse of it.
    n = len(source)
    before = np.array([[10 * i + j for j in source] for i in source], dtype=np.float32)
    back = view.restore(Order(tuple(range(n)), before))
    assert [text.units[i] for i in back.order] == list(view.item.units)
    assert back.before.tolist() == [[10 * i + j for j in range(n)] for i in range(n)]


def test_units_are_shuffled() -> None:
    text = Text("a", tuple("abcdefgh"), tuple(range(8)))
    assert len({present(text, random.Random(seed), {}).item.units for seed in range(9)}) == 9


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Order((0,), even(2)), "not a permutation"),
        (Order((0, 0), even(2)), "not a permutation"),
        (Order((1, 2), even(2)), "not a permutation"),
        (Order((1, 0), even(3)), r"pair matrix is \(3, 3\), not \(2, 2\)"),
    ],
)
def test_a_bad_answer_is_refused(answer: Order, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        check(Text("a", ("One.", "Two.")), answer)


def test_confidence_is_the_mean_over_pairs_as_ordered() -> None:
    before = np.array([[0.5, 0.1, 0.3], [0.9, 0.5, 0.6], [0.7, 0.4, 0.5]], dtype=np.float32)
    assert Order((1, 2, 0), before).confidence == pytest.approx((0.6 + 0.9 + 0.7) / 3)
    assert Order((0,), even(1)).confidence == 1.0
    assert Order((0, 1), even(2)).confidence == 0.5


def test_answers_survive_storing_and_can_be_compared() -> None:
    answer = Order((1, 0), np.array([[0.5, 0.25], [0.75, 0.5]], dtype=np.float32))
    assert TASK.from_row(json.loads(json.dumps(TASK.to_row(answer)))) == answer
    assert answer != Order((1, 0), even(2)) and answer != Order((0, 1), answer.before)
    assert hash(answer) == hash(TASK.from_row(TASK.to_row(answer)))
    assert TASK.from_row({"order": [], "before": []}).before.shape == (0, 0)


def test_ordering_little() -> None:
    assert order([]).order == () and order(["One."]).order == (0,)
    with pytest.raises(UsageError, match="takes a list of strings"):
        order("One. Two.")


def test_an_answer_that_is_no_permutation_is_repaired_and_counted() -> None:
    class Stutters:
        def order(self, texts: Any) -> list[Order]:
            return [Order((1, 1, 9), even(3)), Order((2, 0, 1), even(3))]

    texts = [Text(name, ("One.", "Two.", "Three."), (0, 1, 2)) for name in "ab"]
    answers = TASK.call(Stutters(), texts)
    assert [answer.order for answer in answers] == [(1, 0, 2), (2, 0, 1)]
    assert [answer.repaired for answer in answers] == [True, False]
    stored = TASK.from_row(json.loads(json.dumps(TASK.to_row(answers[0]))))
    assert stored.repaired
    run = evaluate("ordering", texts, Stutters(), metrics=["repaired"])
    assert run.metrics["repaired"].value == 0.5


def test_a_model_that_breaks_its_contract_is_refused() -> None:
    class Bad:
        def order(self, texts: Any) -> list[Order]:
            return [Order((0, 1), even(3))]

    with pytest.raises(UsageError, match="pair matrix"):
        order(["One.", "Two."], model=Bad())
