"""Any table, and what is wrong with some: each case has its clear behaviour."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from fabula.audit import audit, audit_page
from fabula.audit.read import read_table
from fabula.endings.formats.columns import Columns
from fabula.endings.items import Ending
from fabula.errors import InputError, UsageError


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize(
    ("golds", "expected"),
    [
        ([0, 2, 1], [0, 2, 1]),
        ([1, 3, 2], [0, 2, 1]),
        (["A", "C", "b"], [0, 2, 1]),
        (["red", "blue", "green"], [0, 2, 1]),
        (["1", "3", "2"], [0, 2, 1]),
        ([0.0, 2.0, 1.0], [0, 2, 1]),
    ],
)
def test_gold_in_every_spelling(tmp_path: Path, golds: list[Any], expected: list[int]) -> None:
    rows = [{"question": "Which?", "choices": ["red", "green", "blue"], "answer": g} for g in golds]
    table = read_table(jsonl(tmp_path / "a.jsonl", rows))
    assert [item.gold for item in table.items] == expected


def test_one_column_an_option_in_csv_and_parquet(tmp_path: Path) -> None:
    rows = [{"stem": "How?", "A": "so", "B": "thus", "C": "", "key": "B", "topic": "x"}] * 3
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    columns = Columns.parse(options="A,B,C", gold="key")
    table = read_table(path, columns)
    assert table.items[0].options == ("so", "thus") and table.items[0].gold == 1
    assert table.items[0].context == ("How?",) and table.columns["topic"] == ["x"] * 3
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    again = read_table(tmp_path / "a.parquet", columns).items
    assert [(i.options, i.gold) for i in again] == [(i.options, i.gold) for i in table.items]


def test_hugging_face_choices(tmp_path: Path) -> None:
    rows = [{"question": "Q", "choices": {"label": ["A", "B"], "text": ["x", "y"]},
             "answerKey": "B"}]  # fmt: skip
    item = read_table(jsonl(tmp_path / "a.jsonl", rows)).items[0]
    assert item.options == ("x", "y") and item.gold == 1


def test_bad_rows_are_counted_not_raised(tmp_path: Path, items) -> None:
    rows: list[dict[str, Any]] = [item.to_row() for item in items(40)]
    del rows[3]["gold"]
    rows[5]["options"] = ["only one"]
    rows[7]["gold"] = 9
    rows[9]["options"] = ["same", "same"]
    rows[11]["options"] = ["one", "two", "three"]
    rows[13]["options"] = [7, 8.5]
    rows[15]["options"] = ["", "something"]
    path = jsonl(tmp_path / "a.jsonl", rows)
    table = read_table(path)
    assert [problem.line for problem in table.problems] == [6, 8]
    done = audit(path, parsed=0)
    schema = done["schema"].to_row()
    assert schema["counts"] == {
        "no gold answer": 1, "equal options": 1, "empty option": 1, "row that is no item": 2,
    }  # fmt: skip
    assert schema["options"] == {"2": 37, "3": 1}
    assert done.items == 38 and done.tested == 36
    assert [o for item in table.items for o in item.options if o in ("7", "8.5")] == ["7", "8.5"]


def test_odd_texts_are_read_tested_and_escaped(items) -> None:
    odd = [
        Ending(f"<b>{i.id}</b>", (*i.context, "שלום עולם 😀 <script>alert(1)</script>"),
               (f"{i.options[0]} 😀🏴", f"مرحبا {i.options[1]} <img src=x onerror=alert()>"), 1)
        for i in items(60)
    ]  # fmt: skip
    page = audit_page(audit(odd, parsed=0, name="<script>x</script>"))
    assert "<script" not in page and "<img" not in page and "&lt;img src=x" in page
    assert "😀" in page and "مرحبا" in page


def test_two_columns_with_one_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("question,A,A,answer\nq,x,y,A\n")
    with pytest.raises(InputError, match="occurs twice"):
        read_table(path)
    table = pa.table([["q"], ["x"], ["y"]], names=["context", "options", "options"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match="occurs twice"):
        read_table(tmp_path / "a.parquet")


def test_a_longer_file_is_sampled_and_says_so(tmp_path: Path, items) -> None:
    path = jsonl(tmp_path / "a.jsonl", [item.to_row() for item in items(200)])
    done = audit(path, limit=50, probes=["schema", "position"])
    assert done.items == 50 and done.rows == 200
    ids = [item.id for item in read_table(path, limit=50).items]
    assert ids == sorted(ids, key=lambda name: int(name[1:])) and ids[-1] != "i49"
    assert ids == [item.id for item in read_table(path, limit=50).items]


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", [{"x": 1, "y": 2}])
    with pytest.raises(InputError, match="--options"):
        read_table(path)
    with pytest.raises(InputError, match="no column 'z'"):
        read_table(path, Columns.parse(options="x,z"))
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(InputError, match="no rows"):
        read_table(tmp_path / "empty.jsonl")
    rows = [{"context": "c", "options": ["x", "y"], "gold": 0, "kind": "k"}]
    with pytest.raises(UsageError, match="--slice nothing"):
        read_table(jsonl(tmp_path / "b.jsonl", rows), slices=("nothing",))


def test_columns_become_slices_when_they_have_few_values(tmp_path: Path, items) -> None:
    rows = [{**item.to_row(), "kind": str(n % 2), "name": f"n{n}"}
            for n, item in enumerate(items(120))]  # fmt: skip
    table = read_table(jsonl(tmp_path / "a.jsonl", rows))
    assert table.columns.keys() == {"kind"}
    wanted = read_table(tmp_path / "a.jsonl", slices=("name",)).columns
    assert wanted.keys() == {"kind", "name"}
