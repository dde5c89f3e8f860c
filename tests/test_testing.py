from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.bench.toy import TOY, Judge, numbers

from fabula.errors import CheckFailed
from fabula.testing import check_model, check_reader
from fabula.types import Document


def test_a_good_model_passes() -> None:
    check_model(TOY, Judge())
    check_model(TOY, Judge(), items=numbers(3))


class Trained(Judge):
    """Learns one number, and keeps it in JSON."""

    def fit(self, items: Any, dev: Any = None) -> None:
        self.bias_ = sum(len(item.values) for item in items) / 100

    def judge(self, items: Any) -> Any:
        return [[p * self.bias_ for p in answer] for answer in super().judge(items)]

    def save(self, folder: Path) -> None:
        (folder / "config.json").write_text(json.dumps({"bias": self.bias_}))

    @classmethod
    def load(cls, folder: Path) -> Trained:
        model = cls()
        model.bias_ = json.loads((folder / "config.json").read_text())["bias"]
        return model


def test_a_good_trainable_model_passes() -> None:
    check_model(TOY, Trained())


class Extra(Judge):
    def judge(self, items: Any) -> Any:
        return [*super().judge(items), [0.5]]


class Lister(Judge):
    def judge(self, items: Any) -> Any:
        return tuple(super().judge(items))


class Short(Judge):
    def judge(self, items: Any) -> Any:
        return [[] for _ in items]


class Moody(Judge):
    calls = 0

    def judge(self, items: Any) -> Any:
        self.calls += 1
        return [[self.calls / 10] * len(item.values) for item in items]


class Gossip(Judge):
    def judge(self, items: Any) -> Any:
        return [[1 / len(items)] * len(item.values) for item in items]


class Ranker(Judge):
    def judge(self, items: Any) -> Any:
        return [[float(place)] * len(item.values) for place, item in enumerate(items)]


class Vandal(Judge):
    def judge(self, items: Any) -> Any:
        answers = super().judge(items)
        for item in items:
            object.__setattr__(item, "values", item.values[::-1])
        return answers


class Hungry(Judge):
    def judge(self, items: Any) -> Any:
        return super().judge(items) if items else None


class Pickler(Trained):
    def save(self, folder: Path) -> None:
        super().save(folder)
        (folder / "weights.pkl").write_bytes(b"")


class Forgetful(Trained):
    @classmethod
    def load(cls, folder: Path) -> Forgetful:
        model = cls()
        model.bias_ = 0.5
        return model


class Empty(Trained):
    def save(self, folder: Path) -> None:
        pass


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Extra(), "judge gave 8 answers for 7 items"),
        (Lister(), "gave a tuple, not a list"),
        (Short(), "bad answer to item 'n0': 0 probabilities for 1 values"),
        (Moody(), "two different answers to item 'n0'"),
        (Gossip(), "answers item 'n0' differently alone"),
        (Ranker(), "must not depend on the other items"),
        (Vandal(), "changed the items"),
        (Hungry(), "gave None for an empty batch"),
        (Pickler(), r"saved weights\.pkl: only \.json and \.safetensors"),
        (Forgetful(), "differently after save and load"),
        (Empty(), "saved no file"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Judge) else "",
)
def test_a_bad_model_is_told_what_is_wrong(model: Any, sentence: str) -> None:
    with pytest.raises(CheckFailed, match=sentence):
        check_model(TOY, model)


def test_the_one_attribute_that_has_a_meaning() -> None:
    class Counter(Trained):
        training_marks_: Any = 7  # its author never heard of it

    marked = replace(TOY, marks=lambda item: [item.id])
    with pytest.raises(CheckFailed, match="training_marks_ that is no set of text"):
        check_model(marked, Counter())
    check_model(TOY, Counter())  # where the task has no marks, nobody asks for it
    Counter.training_marks_ = frozenset({"n0"})
    check_model(marked, Counter())


def test_rounding_in_another_batch_size_is_forgiven() -> None:
    class Rounding(Judge):
        def judge(self, items: Any) -> Any:
            return [[p + 1e-9 * len(items) for p in answer] for answer in super().judge(items)]

    check_model(TOY, Rounding())


def read(path: Any) -> Iterator[Document]:
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        yield Document(f"d{number}", (line,), lines=(number,))


def test_a_good_reader_passes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One.\nTwo.\n")
    check_reader(read, path)


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        ([], "found no document"),
        (["text"], "document 1 of x is a str"),
        ([Document("", ("a",))], "which is not a text"),
        ([Document("a", ("a",)), Document("a", ("b",))], "document 2 of x repeats the id 'a'"),
        ([Document("a", ())], "no paragraphs"),
        ([Document("a", ("a", " "))], "empty paragraph"),
        ([Document("a", ("a", "b"), lines=(1,))], "1 line numbers for 2 paragraphs"),
        ([Document("a", ("a", "b"), lines=(3, 2))], "do not rise"),
    ],
)
def test_a_bad_reader_is_told_what_is_wrong(documents: Any, sentence: str) -> None:
    with pytest.raises(CheckFailed, match=sentence):
        check_reader(lambda path: documents, "x")


def test_a_reader_must_repeat_itself() -> None:
    readings = iter([[Document("a", ("a",))], [Document("b", ("a",))]])
    with pytest.raises(CheckFailed, match="two readings of x differ"):
        check_reader(lambda path: next(readings), "x")
