"""Shards, workers and the native engine: nothing lost, nothing doubled, nothing half written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scale.steps import deadly, double

from fabula.core.files import WRITING
from fabula.errors import DamagedFile, InputError, UnknownName, UsageError
from fabula.scale import Engine, Plan, run_step, shard_rows
from fabula.scale.shards import Shards, is_shards
from fabula.scale.worker import work

ROWS = [{"id": f"r{i}", "value": i} for i in range(25)]
DOUBLE = "tests.scale.steps:double"


@dataclass(frozen=True, slots=True, kw_only=True)
class Here(Engine):
    """An engine of one process, this one: what the plan does does not depend on daft."""

    name: str = "serial"


def places(tmp_path: Path) -> tuple[Shards, Shards]:
    source, target = Shards(str(tmp_path / "in")), Shards(str(tmp_path / "out"))
    assert shard_rows(ROWS, source, size=4) == 7
    return source, target


def test_shards_come_back_and_are_not_written_twice(tmp_path: Path) -> None:
    source, _ = places(tmp_path)
    assert list(source.rows()) == ROWS
    stamp = (tmp_path / "in" / "000000.parquet").stat().st_mtime_ns
    assert shard_rows(ROWS, source, size=4) == 7
    assert (tmp_path / "in" / "000000.parquet").stat().st_mtime_ns == stamp


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text())), st.integers(1, 9))
def test_whatever_goes_into_shards_comes_out(rows: list[dict[str, Any]], size: int) -> None:
    pytest.importorskip("fsspec")
    shards = Shards("memory://fabula-any")
    shards.remove()
    shard_rows(rows, shards, size=size)
    assert list(shards.rows()) == rows
    assert sum(marker["rows"] for marker in shards.markers(shards.done())) == len(rows)


def test_a_shard_cut_short_is_refused(tmp_path: Path) -> None:
    source, _ = places(tmp_path)
    path = tmp_path / "in" / "000001.parquet"
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(DamagedFile, match=r"000001\.parquet is not what was written"):
        list(source.read(1))


def test_a_folder_is_shards_when_it_is_closed(tmp_path: Path) -> None:
    shards = Shards(str(tmp_path / "x.shards"))
    shards.write(0, ROWS, given=25, poisoned=[])
    assert not is_shards(shards.folder)
    shards.close(shards=1)
    assert is_shards(shards.folder) and not is_shards(str(tmp_path))


def test_a_poisoned_row_is_set_aside_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source, target = places(tmp_path)
    done = work(double(), source, target, 3)  # rows 12 to 15
    assert [row["value"] for row in target.read(3)] == [24, 28, 30]
    assert done["poisoned"] == [{"id": "r13", "error": "ValueError: thirteen is poison"}]
    assert "r13 is left out: thirteen is poison" in caplog.text
    assert done["tally"] == {"doubled": 3}  # not what the batch had counted before it failed
    assert work(double(), source, target, 3)["kept"]


def test_a_row_that_kills_its_worker_is_found(tmp_path: Path) -> None:
    """The notes are what two dead workers leave; a third goes past the row."""
    source, target = places(tmp_path)
    for deaths in range(2):
        target.storage.put("000001.try", json.dumps({"row": 3, "deaths": {"3": deaths}}).encode())
    done = work(deadly(), source, target, 1, careful=True)  # rows 4 to 7
    assert [row["value"] for row in target.read(1)] == [4, 5, 6]
    assert done["poisoned"] == [{"id": "r7", "error": "the worker died on it 2 times"}]


def test_what_is_missing_is_no_fault_of_the_documents(tmp_path: Path) -> None:
    source, target = places(tmp_path)
    with pytest.raises(ImportError, match="a pipeline is not installed"):
        run_step("tests.scale.steps:wanting", source, target, engine=Here())
    assert target.done() == []


def test_nothing_is_left_of_writers_that_were_killed(tmp_path: Path) -> None:
    source, target = Shards(str(tmp_path / "in")), Shards(str(tmp_path / "out"))
    for storage in (source.storage, target.storage):
        storage.put(f"{WRITING}1a2b_3c4.parquet", b"half")
    shard_rows(ROWS, source, size=4)
    run_step(DOUBLE, source, target, engine=Here())
    assert len(source.done()) == len(target.done()) == 7
    names = source.storage.names() + target.storage.names()
    assert not [name for name in names if name.startswith(WRITING)]


def test_a_plan_resumes_and_reports(tmp_path: Path) -> None:
    plan = Plan(str(tmp_path / "work"), identity=["x"], engine=Here(), size=4)
    documents = plan.read(ROWS)
    Shards(f"{plan.folder}/double").write(0, [{"id": "early"}], given=4, poisoned=[])
    made = plan.run(DOUBLE, documents, factor=3)
    values = sorted(row["value"] for n in range(1, 7) for row in made.read(n))
    assert values == [3 * i for i in range(4, 25) if i != 13]
    facts = plan.report()
    assert (facts["documents"], facts["doubled"], facts["skipped"]) == (25, 20, 1)
    assert (facts["shards"], facts["resumed_shards"]) == (7, 1)
    assert facts["errors"][0]["id"] == "r13" and facts["memory_mb"]["workers"] > 1
    assert facts["seconds"].keys() == {"read", "double"}
    assert "set aside r13: ValueError: thirteen is poison" in plan.summary()

    again = Plan(str(tmp_path / "work"), identity=["x"], engine=Here(), size=4)
    assert list(again.run(DOUBLE, again.read(iter(())), factor=3).rows()) == list(made.rows())
    assert again.report()["resumed_shards"] == 7
    with pytest.raises(UsageError, match="holds the shards of another run"):
        Plan(str(tmp_path / "work"), identity=["y"], engine=Here(), size=4).read(ROWS)
    plan.clear()
    assert not (tmp_path / "work").exists()


def test_a_source_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    def unread() -> Iterator[dict[str, Any]]:
        raise InputError("does not exist", path="no.txt")
        yield {}

    with pytest.raises(InputError):
        Plan(str(tmp_path / "work"), engine=Here()).read(unread())
    assert list(tmp_path.iterdir()) == []


def test_a_run_in_which_nothing_works_fails(tmp_path: Path) -> None:
    plan = Plan(str(tmp_path / "work"), engine=Here())
    with pytest.raises(InputError, match="none of 2 could be used; the first, r13: ValueError"):
        plan.run(DOUBLE, plan.read([ROWS[13], ROWS[13]]))


class Dying(Here):
    """Its query ends with every second shard, as daft's does when a worker dies."""

    def run(self, *details: Any, **options: Any) -> Iterator[dict[str, Any]]:
        for number, marker in enumerate(super().run(*details, **options)):
            yield marker
            if number == 1:
                raise RuntimeError("UDF process closed the connection unexpectedly")


class Dead(Here):
    def run(self, *details: Any, **options: Any) -> Iterator[dict[str, Any]]:
        raise RuntimeError("no worker comes up")
        yield


def test_a_dead_worker_does_not_stop_the_run(tmp_path: Path) -> None:
    source, target = places(tmp_path)
    report = run_step(DOUBLE, source, target, engine=Dying())
    assert (report.given, report.rows, report.resumed) == (25, 24, 0)
    with pytest.raises(UsageError, match=r"the workers died 13 times .* no worker comes up"):
        run_step(DOUBLE, source, Shards(str(tmp_path / "never")), engine=Dead())


def test_unknown_engines(tmp_path: Path) -> None:
    source, target = places(tmp_path)
    with pytest.raises(UnknownName, match="unknown engine 'spark'"):
        run_step(DOUBLE, source, target, engine=Engine(name="spark"))
    with pytest.raises(UsageError, match="--address is for --engine ray"):
        run_step(DOUBLE, source, target, engine=Engine(address="ray://x:1"))
