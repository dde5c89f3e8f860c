"""Rows of a program in the place of a file: dicts, frames, what is none of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

import fabula
from fabula.endings import Ending
from fabula.errors import InputError, UsageError
from fabula.text.io.records import items_of

ROWS: list[Any] = [
    {"id": str(n), "context": ["He was hungry."], "options": ["He ate.", "He sang."], "gold": n % 2}
    for n in range(4)
]


def test_rows_are_measured_audited_and_chosen_from() -> None:
    items = [Ending(r["id"], ("He was hungry.",), ("He ate.", "He sang."), r["gold"]) for r in ROWS]
    frame = pandas.DataFrame(ROWS).assign(options=[np.array(row["options"]) for row in ROWS])
    expected = fabula.evaluate("endings", items, "constant").data["fingerprint"]
    for given in (ROWS, iter(ROWS), frame):
        run = fabula.evaluate("endings", given, "constant")
        assert run.data["fingerprint"] == expected
    assert fabula.audit(frame, probes=["position"]).items == 4
    assert [c.id for c in fabula.choose(ROWS, model="constant")] == ["0", "1", "2", "3"]
    (pair,) = fabula.relate([{"a": "It rained.", "b": "It did not rain."}], model="overlap")
    assert pair.label == "contradiction"
    assert fabula.train("endings/endingreg", ROWS * 10).items == 40


def test_a_wrong_row_is_named_and_so_is_a_table_of_tables() -> None:
    with pytest.raises(InputError, match=r"^rows:2: 'options' is missing"):
        fabula.evaluate("endings", [ROWS[0], {"id": "x", "context": "a"}], "constant")
    with pytest.raises(UsageError, match="train, test"):
        fabula.evaluate("endings", {"train": ROWS, "test": ROWS}, "constant")
    with pytest.raises(UsageError, match="row 1"):
        list(items_of([{"id": object()}], lambda path: []))


def test_items_stay_what_they_are() -> None:
    assert list(items_of((n for n in "ab"), lambda path: [])) == ["a", "b"]
    assert list(items_of([], lambda path: ["read"])) == []
