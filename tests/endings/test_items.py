from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.endings import TASK, Ending
from fabula.endings.adapters import call
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import check, present
from fabula.endings.metrics import accuracy
from fabula.endings.models.constant import Constant
from fabula.endings.models.joint import Joint
from fabula.errors import InputError, UnknownName, UsageError

GOOD: dict[str, Any] = {
    "id": "a",
    "context": ["It rained."],
    "options": ["Wet.", "Dry."],
    "gold": 0,
}
CLOZE = [
    "InputStoryid", "InputSentence1", "InputSentence2", "InputSentence3", "InputSentence4",
    "RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2", "AnswerRightEnding",
]  # fmt: skip
STORY = ["s1", "One.", "Two, too.", "Three.", 'He said "four".', "Good end.", "Bad end.", "2"]


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_csv(path: Path, *rows: list[str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


def test_an_item_comes_back_as_it_was(tmp_path: Path) -> None:
    items = [
        Ending("a", ("It rained.",), ("Wet.", "Dry.", "Cold."), 2, "effect"),
        Ending("b", (), ("x", "y")),
    ]
    path = write(tmp_path / "a.jsonl", *(item.to_row() for item in items))
    assert list(read_endings(path)) == items


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"context": 3}, "'context' must be a text or a list of strings"),
        ({"context": [1]}, "'context' must be a text or a list of strings"),
        ({"options": None}, "'options' must be a list of strings"),
        ({"options": ["Wet."]}, "'options' has 1 option, at least 2 are needed"),
        ({"options": ["Wet.", "Dry.", "Wet. "]}, "options 1 and 3 are equal"),
        ({"options": ["Wet.", " "]}, "option 2 is empty"),
        ({"gold": 2}, "'gold' must be 0 or 1; it is 2"),
        ({"gold": -1}, "'gold' must be 0 or 1; it is -1"),
        ({"gold": "A"}, "'gold' must be 0 or 1; it is 'A'"),
        ({"gold": True}, "'gold' must be 0 or 1; it is True"),
        ({"gold": 0.5}, "'gold' must be 0 or 1; it is 0.5"),
        ({"relation": "because"}, "'relation' must be 'cause' or 'effect'; it is 'because'"),
    ],
)
def test_a_wrong_field_names_file_and_line(tmp_path: Path, change: Any, problem: str) -> None:
    with pytest.raises(InputError, match=rf"a\.jsonl:2: {problem}"):
        list(read_endings(write(tmp_path / "a.jsonl", GOOD, {**GOOD, **change})))


@pytest.mark.parametrize("field", ["context", "options"])
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    row = {key: value for key, value in GOOD.items() if key != field}
    with pytest.raises(InputError, match=rf"a\.jsonl:1: '{field}' is missing"):
        list(read_endings(write(tmp_path / "a.jsonl", row)))


def test_the_story_cloze_file_as_it_is_distributed(tmp_path: Path) -> None:
    (item,) = read_endings(write_csv(tmp_path / "a.csv", CLOZE, STORY))
    assert item == Ending(
        "s1", ("One.", "Two, too.", "Three.", 'He said "four".'), ("Good end.", "Bad end."), 1
    )


def test_the_blind_story_cloze_file_has_no_gold(tmp_path: Path) -> None:
    (item,) = read_endings(write_csv(tmp_path / "a.csv", CLOZE[:-1], STORY[:-1]))
    assert item.gold is None and item.options == ("Good end.", "Bad end.")


def test_a_wrong_story_cloze_row(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", CLOZE, STORY, [*STORY[:-1], "3"])
    with pytest.raises(
        InputError, match=r"a\.csv:3: 'AnswerRightEnding' must be 1 or 2; it is '3'"
    ):
        list(read_endings(path))
    short = write_csv(tmp_path / "b.csv", [*CLOZE[:4], *CLOZE[5:]], [*STORY[:4], *STORY[5:]])
    with pytest.raises(InputError, match=r"b\.csv:2: 'InputSentence4' is missing"):
        list(read_endings(short))


items = st.integers(2, 6).map(
    lambda n: Ending(f"n{n}", ("It rained.",), tuple(f"End {i}." for i in range(n)), n - 1, "cause")
)


@given(items, st.integers())
def test_restore_undoes_present(item: Ending, seed: int) -> None:
    view = present(item, random.Random(seed), {})
    assert view.item.gold is None
    assert (view.item.id, view.item.context, view.item.relation) == (item.id, item.context, "cause")
    scores = tuple(float(item.options.index(option)) for option in view.item.options)
    assert view.restore(scores) == tuple(map(float, range(len(item.options))))


def test_options_are_shuffled() -> None:
    item = Ending("a", (), ("x", "y"), 0)
    firsts = [present(item, random.Random(seed), {}).item.options[0] for seed in range(40)]
    assert 10 < firsts.count("x") < 30


def test_a_tie_counts_its_share() -> None:
    item = Ending("a", (), ("x", "y", "z"), gold=1)
    assert accuracy(item, (0.1, 0.9, 0.2)).total == 1.0
    assert accuracy(item, (0.9, 0.9, 0.2)).total == 0.5
    assert accuracy(item, (0.3, 0.3, 0.3)).total == pytest.approx(1 / 3)
    assert accuracy(item, (0.9, 0.1, 0.9)).total == 0.0
    with pytest.raises(UsageError, match="item 'b' has no gold answer"):
        accuracy(Ending("b", (), ("x", "y")), (0.0, 1.0))


def test_a_bad_answer_is_refused() -> None:
    item = Ending("a", (), ("x", "y"))
    check(item, (-5.0, 1e300))
    with pytest.raises(UsageError, match="has 2 options; the model gave 3 scores"):
        check(item, (0.0, 0.0, 0.0))
    for wrong in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(UsageError, match="not a finite number"):
            check(item, (0.0, wrong))


def test_answers_survive_storing() -> None:
    assert TASK.from_row(json.loads(json.dumps(TASK.to_row((0.25, -1.0))))) == (0.25, -1.0)


def test_constant_is_exactly_one_in_k() -> None:
    item = Ending("a", (), ("w", "x", "y", "z"), gold=3)
    (scores,) = call(Constant(), [item])
    assert accuracy(item, scores).total == 0.25


class Letters:
    """Counts of ``a`` and ``b``, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, sentences: list[str]) -> list[list[float]]:
        self.asked.append(sentences)
        return [[text.count("a"), text.count("b")] for text in sentences]


def test_joint_takes_the_ending_nearest_to_the_context() -> None:
    encoder = Letters()
    items = [
        Ending("1", ("aa", "a"), ("b", "aaaa", "ab")),
        Ending("2", ("b",), ("ab", "bb")),
        Ending("3", ("c",), ("a", "b")),  # no length at all: nothing is nearer
    ]
    one, two, three = Joint(encoder=encoder, context="paragraph").score(items)
    assert one == pytest.approx((0.0, 1.0, 2**-0.5))
    assert two == pytest.approx((2**-0.5, 1.0))
    assert three == (0.0, 0.0)
    assert encoder.asked[0][:4] == ["aa a", "b", "aaaa", "ab"] and len(encoder.asked) == 1


def test_joint_with_nothing_to_do_and_with_an_unknown_encoder() -> None:
    assert Joint(encoder="nosuch").score([]) == []
    with pytest.raises(UnknownName, match="unknown encoder 'nosuch'"):
        Joint(encoder="nosuch").score([Ending("1", ("a",), ("b", "c"))])
