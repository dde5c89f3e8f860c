"""The rule that all raters agree, Fleiss's kappa, and files of ratings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.endings.collect.ratings import Rated, read_ratings, verify
from fabula.errors import InputError


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
