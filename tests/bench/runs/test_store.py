from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.bench.toy import TOY, Judge, numbers

from fabula.bench.evaluate import evaluate
from fabula.bench.runs.store import Estimate, Run, find_runs, labels, load_run, save_run
from fabula.core.safety.checked_json import with_checksum
from fabula.errors import DamagedFile, InputError


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return evaluate(TOY, numbers(8), Judge(slip=5), folder=tmp_path / "runs")


def test_a_run_comes_back_as_it_was(run: Run) -> None:
    assert run.folder is not None
    back = load_run(run.folder)
    for field in dataclasses.fields(Run):
        if field.name != "items":
            assert getattr(back, field.name) == getattr(run, field.name), field.name
    assert back.items.ids == run.items.ids and back.items.answers == run.items.answers
    for metric in run.metrics:
        assert np.array_equal(back.items.totals[metric], run.items.totals[metric])
        assert np.array_equal(back.items.counts[metric], run.items.counts[metric])


def test_the_items_can_be_read_by_any_parquet_tool(run: Run) -> None:
    from pyarrow import parquet

    assert run.folder is not None
    table = parquet.read_table(run.folder / "items.parquet")
    assert table.column_names[:4] == ["id", "answer", "all_right_total", "all_right_count"]
    assert json.loads(table["answer"][0].as_py()) == {"even": [0.9]}


def test_a_value_that_is_not_a_number_is_null(run: Run, tmp_path: Path) -> None:
    nothing = Estimate(math.nan, math.nan, math.nan, "bootstrap")
    zeros = np.zeros(len(run.items.ids))
    items = dataclasses.replace(
        run.items,
        totals={**run.items.totals, "VI": zeros},
        counts={**run.items.counts, "VI": zeros},
    )
    saved = save_run(
        dataclasses.replace(run, metrics={**run.metrics, "VI": nothing}, items=items),
        tmp_path / "n",
    )
    assert json.loads((tmp_path / "n/run.json").read_text())["metrics"]["VI"]["value"] is None
    assert math.isnan(load_run(tmp_path / "n").metrics["VI"].value)
    assert saved.folder == tmp_path / "n"


def test_a_value_that_does_not_follow_from_the_items_is_refused(run: Run) -> None:
    assert run.folder is not None
    path = run.folder / "run.json"
    record = json.loads(path.read_text())
    metric = next(iter(record["metrics"]))
    record["metrics"][metric]["value"] = 0.987
    path.write_text(json.dumps(record))
    with pytest.raises(DamagedFile, match="changed since it was written"):
        load_run(run.folder)
    path.write_text(json.dumps(with_checksum(record)))  # by somebody who knows how
    with pytest.raises(DamagedFile, match=rf"{metric} is .* by its items, and not 0.987"):
        load_run(run.folder)


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"format": 1}', '{"format": 1, "items_sha256": "", "metrics": 3}']
)
def test_a_damaged_run_names_its_file(run: Run, damage: str) -> None:
    assert run.folder is not None
    (run.folder / "run.json").write_text(damage)
    with pytest.raises(DamagedFile, match=r"run\.json: not what fabula wrote"):
        load_run(run.folder)


def test_missing_parts_are_named(run: Run, tmp_path: Path) -> None:
    assert run.folder is not None
    (run.folder / "items.parquet").unlink()
    with pytest.raises(DamagedFile, match=r"items\.parquet: missing"):
        load_run(run.folder)
    record = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps({**record, "format": 99}))
    with pytest.raises(InputError, match="another version"):
        load_run(run.folder)
    with pytest.raises(InputError, match=r"no run\.json"):
        load_run(tmp_path)


def test_runs_are_found_at_any_depth_and_once(run: Run, tmp_path: Path) -> None:
    assert run.folder is not None
    save_run(run, tmp_path / "runs/deep/er")
    found = find_runs([tmp_path, run.folder, run.folder / "run.json"])
    assert [r.folder for r in found] == [tmp_path / "runs/deep/er", run.folder]
    assert len(find_runs(str(tmp_path))) == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no finished run"):
        find_runs(tmp_path / "empty")
    with pytest.raises(InputError, match="no such file"):
        find_runs(tmp_path / "nowhere")


def test_labels_say_what_differs(run: Run) -> None:
    def variant(**changes: object) -> Run:
        return dataclasses.replace(run, **changes)  # type: ignore[arg-type]

    assert labels([run, variant(model="b")]) == ["judge", "b"]
    assert labels([run, variant(options={"unknown_k": True})]) == ["judge", "judge (unknown_k)"]
    assert labels([run, variant(seed=2)]) == ["judge (seed 0)", "judge (seed 2)"]
    assert labels([run, run, variant(model="c")]) == ["judge #1", "judge #2", "c"]


def test_nothing_is_left_of_a_writer_that_was_killed(run: Run) -> None:
    assert run.folder is not None
    (run.folder / ".writing-a1b2c3d4.parquet").write_bytes(b"half")
    save_run(run, run.folder)
    assert sorted(path.name for path in run.folder.iterdir()) == ["items.parquet", "run.json"]
