from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UnknownName, UsageError
from fabula.text.io.splits import (
    PARTS,
    by_date,
    in_part,
    parse_split,
    part_of,
    side_path,
    split_by_date,
    split_by_document,
)
from fabula.types import Document

IDS = [f"document {place}" for place in range(2000)]


def test_shares() -> None:
    assert parse_split("80/20") == {"train": 0.8, "test": 0.2}
    assert list(parse_split("90/5/5")) == ["train", "dev", "test"]


@pytest.mark.parametrize(
    "text", ["", "80", "80/30", "100/0", "-1/101", "80/10/5/5", "80/20/", "a/b", "80 / 20", "dated"]
)
def test_what_is_no_split(text: str) -> None:
    with pytest.raises(UsageError, match="whole numbers that sum to 100"):
        parse_split(text)


def test_sides_have_about_their_share_and_hold_everything() -> None:
    sides = split_by_document(IDS, str, parse_split("80/15/5"))
    assert [len(side) / 2000 for side in sides.values()] == pytest.approx(
        [0.8, 0.15, 0.05], abs=0.03
    )
    assert sorted(name for side in sides.values() for name in side) == sorted(IDS)


@given(st.lists(st.text(max_size=3), max_size=30), st.integers(0, 5))
def test_a_document_is_on_one_side_whatever_stands_beside_it(ids: list[str], seed: int) -> None:
    shares = parse_split("50/25/25")
    sides = split_by_document(ids, str, shares, seed)
    assert all(not set(a) & set(b) for a, b in combinations(sides.values(), 2))
    for side, some in sides.items():
        for identifier in some:
            assert split_by_document([identifier], str, shares, seed)[side] == [identifier]


def test_the_seed_matters() -> None:
    shares = parse_split("80/20")
    first, again, other = (split_by_document(IDS, str, shares, seed) for seed in (0, 0, 1))
    assert first == again != other


def test_by_date_the_latest_are_tested_on() -> None:
    dates = {name: f"{1900 + place % 100}" for place, name in enumerate(IDS)}
    sides = split_by_date(IDS, str, dates.get, parse_split("date"))
    assert {side: len(some) for side, some in sides.items()} == {
        "train": 1800, "dev": 100, "test": 100
    }  # fmt: skip
    told = [[dates[name] for name in some] for some in sides.values()]
    assert max(told[0]) <= min(told[1]) and max(told[1]) <= min(told[2])
    assert sorted(name for some in sides.values() for name in some) == sorted(IDS)
    assert sides == split_by_date(IDS[::-1], str, dates.get, parse_split("date:90/5/5"))
    assert by_date("date") and by_date("date:80/20") and not by_date("90/5/5")


def test_without_a_date_there_is_no_split_by_date() -> None:
    with pytest.raises(UsageError, match="2 of 3 have none, such as 'b'"):
        split_by_date("abc", str, {"a": "1900"}.get, parse_split("date"))
    with pytest.raises(UsageError, match="whole numbers"):
        parse_split("date:80/30")


def test_a_side_has_a_file_of_its_own() -> None:
    assert side_path(Path("a/x.jsonl"), "") == Path("a/x.jsonl")
    assert side_path(Path("a/x.jsonl"), "train") == Path("a/x.train.jsonl")
    assert side_path(Path("x.1.jsonl.gz"), "dev") == Path("x.1.dev.jsonl.gz")


def test_parts_are_three_fifths_one_and_one() -> None:
    shares = Counter(part_of(f"document {i}") for i in range(5000))
    assert shares["train"] == pytest.approx(3000, rel=0.05)
    assert shares["dev"] == pytest.approx(1000, rel=0.1)
    assert shares["test"] == pytest.approx(1000, rel=0.1)


def test_a_document_stays_in_its_part_for_ever() -> None:
    # Published splits rest on these: they must not change with a version or a machine.
    names = ["1465_moroccan_revolution", "floods-1", "a", "", "é", "floods-7"]
    assert [part_of(name) for name in names] == ["test", "train", "train", "train", "train", "dev"]


def test_every_document_is_in_one_part() -> None:
    documents = [Document(f"d{i}", ("x",)) for i in range(50)]
    parts = {part: list(in_part(documents, part)) for part in PARTS}
    assert sorted(d.id for part in parts.values() for d in part) == sorted(d.id for d in documents)
    assert all(part_of(d.id) == part for part, found in parts.items() for d in found)


def test_an_unknown_part_is_refused_at_once() -> None:
    with pytest.raises(UnknownName, match="unknown part 'tests': did you mean 'test'"):
        in_part([], "tests")
