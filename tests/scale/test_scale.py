from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fabula.errors import DamagedFile, UnknownName, UsageError
from fabula.scale import run_step, shard_rows
from fabula.scale.shards import Shards
from fabula.scale.work import work

pytest.importorskip("daft")
pytest.importorskip("fsspec")

# daft leaves the pipes of its workers to be closed at exit.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

ROWS = [{"id": f"r{i}", "value": i} for i in range(25)]
DOUBLE = "tests.scale.steps:double"


def places(tmp_path: Path) -> tuple[Shards, Shards]:
    source, target = Shards(str(tmp_path / "in")), Shards(str(tmp_path / "out"))
    assert shard_rows(ROWS, source, size=4) == 7
    return source, target


def test_shards_come_back_and_are_not_written_twice(tmp_path: Path) -> None:
    source, _ = places(tmp_path)
    assert [row for number in source.done() for row in source.read(number)] == ROWS
    stamp = (tmp_path / "in" / "000000.parquet").stat().st_mtime_ns
    assert shard_rows(ROWS, source, size=4) == 7
    assert (tmp_path / "in" / "000000.parquet").stat().st_mtime_ns == stamp


def test_memory_is_a_place_too() -> None:
    shards = Shards("memory://fabula-test/in")
    assert shard_rows(ROWS, shards, size=10) == 3
    assert list(shards.read(2)) == ROWS[20:]


def test_a_shard_cut_short_is_refused(tmp_path: Path) -> None:
    source, _ = places(tmp_path)
    path = tmp_path / "in" / "000001.parquet"
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(DamagedFile, match=r"000001\.parquet is not what was written"):
        list(source.read(1))


def test_a_poisoned_row_is_set_aside_alone(tmp_path: Path) -> None:
    from tests.scale.steps import double

    source, target = places(tmp_path)
    done = work(double(), source, target, 3)  # rows 12 to 15
    assert [row["value"] for row in target.read(3)] == [24, 28, 30]
    assert done["poisoned"] == [{"id": "r13", "error": "ValueError: thirteen is poison"}]
    assert work(double(), source, target, 3)["kept"]


def test_the_native_engine_resumes_and_reports(tmp_path: Path) -> None:
    source, target = places(tmp_path)
    target.write(0, [{"id": "early"}], given=4, poisoned=[])
    report = run_step(DOUBLE, source, target, options={"factor": 3}, workers=2)
    assert (report.shards, report.resumed, report.given, report.rows) == (7, 1, 25, 21)
    assert [error["id"] for error in report.poisoned] == ["r13"]
    values = sorted(row["value"] for n in range(1, 7) for row in target.read(n))
    assert values == [3 * i for i in range(4, 25) if i != 13]
    again = run_step(DOUBLE, source, target, workers=2)
    assert again.resumed == 7 and again.rows == report.rows


def test_unknown_engines(tmp_path: Path) -> None:
    source, target = places(tmp_path)
    with pytest.raises(UnknownName, match="unknown engine 'spark'"):
        run_step(DOUBLE, source, target, engine="spark")
    with pytest.raises(UsageError, match="--address is for --engine ray"):
        run_step(DOUBLE, source, target, address="ray://x:1")


CLUSTER = """
import sys
import ray
from fabula.scale import run_step
from fabula.scale.shards import Shards
ray.init(num_cpus=2, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
source, target, marker = sys.argv[1:]
run_step("tests.scale.steps:deadly", Shards(source), Shards(target), options={"marker": marker},
         engine="ray", workers=2)
"""


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_though_a_worker_dies(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    from tests.scale.steps import deadly

    source, here = places(tmp_path)
    (tmp_path / "alive").write_text("nobody dies")
    for number in source.done():
        work(deadly(str(tmp_path / "alive")), source, here, number)
    there, died = Shards(str(tmp_path / "ray")), tmp_path / "died"
    line = [sys.executable, "-c", CLUSTER, source.folder, there.folder, str(died)]
    root = str(Path(__file__).parents[2])
    settings = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": root}
    # A dead worker may take its query with it; the run is then taken up again.
    ends = (subprocess.run(line, env=settings, cwd=root, timeout=120).returncode for _ in range(3))
    assert 0 in ends
    assert died.exists()
    assert there.done() == here.done() == list(range(7))
    for number in range(7):
        assert list(there.read(number)) == list(here.read(number))
