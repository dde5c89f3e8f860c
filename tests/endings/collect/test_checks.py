"""Checks on endings as they are written, and the three raters' rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.endings.collect.checks import Rated, lint, read_ratings, verify
from fabula.endings.items import Ending
from fabula.endings.models.endingreg import EndingReg
from fabula.errors import InputError, UsageError

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


def test_verify_keeps_what_all_agree_on() -> None:
    good, bad = (1, 1, 1), (-1, -1, -1)
    done = verify(
        [
            Rated("a", good, bad),
            Rated("b", (1, 1, 0), bad),
            Rated("c", good, (-1, -1, 1)),
            Rated("d", (1, 1), bad),
        ]
    )
    assert done.kept == ("a",)
    assert dict(done.reasons) == {
        "the right ending is doubted": 1,
        "the wrong ending is not plainly wrong": 1,
        "fewer than 3 ratings": 1,
    }
    # Of 8 stories six are unanimous, two have one pair of three.
    assert done.agreement == pytest.approx((6 + 2 / 3) / 8)
    assert 0 < done.kappa < 1


def test_kappa_is_fleiss() -> None:
    """Fleiss by hand: 3 raters, stories (1,1,-1) and (-1,-1,-1)."""
    done = verify([Rated("a", (1, 1, -1), (-1, -1, -1))])
    agreement = (1 / 3 + 1) / 2
    chance = (2 / 6) ** 2 + (4 / 6) ** 2
    assert done.kappa == pytest.approx((agreement - chance) / (1 - chance))


def test_ratings_from_files(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,ending,rater,rating\na,right,x,+1\na,wrong,x,-1\na,right,y,1\n")
    assert read_ratings(path) == [Rated("a", (1, 1), (-1,))]
    wide = tmp_path / "r.jsonl"
    wide.write_text(json.dumps({"id": "a", "right": [1, 1, 1], "wrong": [-1, -1, -1]}) + "\n")
    assert verify(read_ratings(wide)).kept == ("a",)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a,left,x,1", "right or wrong"),
        ("a,right,x,2", "1, 0 or -1"),
        ("a,right,z,1\na,right,z,1", "twice"),
    ],
)
def test_ratings_that_cannot_be(tmp_path: Path, row: str, problem: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"id,ending,rater,rating\n{row}\n")
    with pytest.raises(InputError, match=problem):
        read_ratings(path)
