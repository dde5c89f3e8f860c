from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from fabula import relate
from fabula.errors import InputError, UsageError
from fabula.pairs import TASK, Pair, Relation, read_pairs
from fabula.pairs.items import read_relation


def test_pairs_are_read_from_compressed_files_without_their_other_columns(tmp_path: Path) -> None:
    rows = [{"a": "One.", "b": "Two.", "same": True, "sibling": False, "a_id": "8_5:1"}]
    path = tmp_path / "pairs.jsonl.xz"
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(json.dumps(row) for row in rows))
    assert list(read_pairs(path)) == [Pair("1", "One.", "Two.", same=True)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"a": "One."}, "'b' is None"),
        ({"a": "One.", "b": "Two.", "label": "clash"}, "it is 'clash'"),
        ({"a": "One.", "b": "Two.", "same": "yes"}, "true or false"),
        ({"a": "One.", "b": "Two.", "context_a": 3}, "are texts"),
    ],
)
def test_a_wrong_row_is_named_by_file_and_line(tmp_path: Path, row: object, problem: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"a": "x", "b": "y"}) + "\n" + json.dumps(row))
    with pytest.raises(InputError, match=problem) as error:
        list(read_pairs(path))
    assert "pairs.jsonl, line 2" in str(error.value) or ":2" in str(error.value)


def test_answers_are_labels_probabilities_or_numbers() -> None:
    pair = Pair("1", "a", "b")
    assert read_relation(pair, {"contradiction": 2.0, "neutral": 2.0}).contradiction == 0.5
    assert read_relation(pair, {"same": 0.25})[:3] == pytest.approx((1 / 3,) * 3)
    assert read_relation(pair, (0.2, 0.3, 0.5, 1)) == Relation(0.2, 0.3, 0.5, 1.0)
    with pytest.raises(ValueError, match="one of entailment"):
        read_relation(pair, "other")
    with pytest.raises(UsageError, match="not between 0 and 1"):
        TASK.check(pair, Relation(2, 0, -1, 0))


def test_relate_takes_tuples_and_pairs_and_refuses_a_string() -> None:
    asked: list[Pair | tuple[str, str]] = [
        ("It rained.", "It did not rain."),
        Pair("x", "Snow.", "Snow."),
    ]
    assert [r.label for r in relate(asked, model="overlap")] == ["contradiction", "entailment"]
    with pytest.raises(UsageError, match="two sentences"):
        relate(["ab"], model="overlap")  # type: ignore[list-item]
