"""Checks on endings as they are written."""

from __future__ import annotations

import pytest

from fabula.endings.collect.lint import lint
from fabula.endings.items import Ending
from fabula.endings.models.endingreg.model import EndingReg
from fabula.errors import UsageError

CONTEXT = ("Ida left home without an umbrella.", "Dark clouds gathered over the road.")
RIGHT = "Ida reached the office soaked."


def found(wrong: str, **options: object) -> list[str]:
    item = Ending("a", CONTEXT, (RIGHT, wrong), 0)
    return [remark.check for remark in lint([item], **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "checks"),
    [
        ("Ida reached the garden dry.", []),
        ("She watered her garden.", []),
        ("Ida did not reach the office soaked.", ["negation"]),
        ("Ida reached the lovely office very happy, dry, proud and on time.",
         ["length", "sentiment"]),
        ("A dragon ate seven cakes.", ["subject"]),
        ("Ida reached the office soaked!", ["negation", "duplicate"]),
    ],
)  # fmt: skip
def test_what_is_remarked(wrong: str, checks: list[str]) -> None:
    assert found(wrong) == checks


def test_the_methods_allow_two_and_three_words() -> None:
    wrong = "Ida reached the old garden gate quite dry."
    assert found(wrong, method=1) == ["length"] and found(wrong, method=2) == []
    with pytest.raises(UsageError, match="method"):
        found(wrong, method=3)
    with pytest.raises(UsageError, match="no check"):
        found(wrong, checks=["lenght"])


def test_an_ending_used_twice_and_one_without_gold() -> None:
    first = Ending("a", CONTEXT, (RIGHT, "Ida reached the garden dry."), 0)
    second = Ending("b", ("It rained.",), ("Ida reached the garden, dry!", RIGHT), 1)
    remarks = lint([first, second], checks=["duplicate"])
    assert [(r.id, r.option, r.message) for r in remarks] == [
        ("b", 1, "stands in item 'a' too"),
        ("b", 2, "stands in item 'a' too"),
    ]
    with pytest.raises(UsageError, match="no gold"):
        lint([Ending("c", (), ("x", "y"))])


def test_a_trained_endingreg_tells() -> None:
    items = [
        Ending(str(i), (), ("He was happy again.", "He hated every day."), 0) for i in range(20)
    ]
    model = EndingReg(groups="chars", grid=(10.0,), least=1).fit(items)
    remarks = lint(items[:1], model=model, checks=["leak"])
    assert [remark.check for remark in remarks] == ["leak"]
