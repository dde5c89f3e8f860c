from __future__ import annotations

from collections import Counter

import pytest

from fabula.errors import UnknownName
from fabula.text.io.parts import PARTS, in_part, part_of
from fabula.types import Document


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
