"""Real engines in processes of their own: daft here, a Ray of two workers, and being killed.

An engine that does not come up in time is the machine's affair (a sandbox, a crowd): its tests
skip. One that comes up has to give the same bytes as one process.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.scale.test_scale import Here

from fabula.scale import Shards, run_step, shard_rows

ROOT = Path(__file__).parents[2]
ROWS = [{"id": f"r{i}", "value": i} for i in range(40)]
LIMIT = int(os.environ.get("FABULA_ENGINE_SECONDS", "60"))  # to come up and do its work
SLOW: dict[str, str] = {}  # engines that were not done in time: they are not tried again
LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
NEEDS = {"native": ("daft", "fsspec"), "ray": ("daft", "fsspec", "ray")}


def start(engine: str, source: Shards, target: Shards, step: str, **options: Any) -> Any:
    missing = [package for package in NEEDS[engine] if find_spec(package) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if engine in SLOW:
        pytest.skip(SLOW[engine])
    line = [sys.executable, "-m", "tests.scale.child", engine, source.folder, target.folder]
    line += [f"tests.scale.steps:{step}", json.dumps(options)]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    settings = {**os.environ, "PYTHONPATH": paths, "RAY_USAGE_STATS_ENABLED": "0"}
    settings["RAY_worker_niceness"] = "0"  # else its workers starve on a busy machine
    return subprocess.Popen(
        line, cwd=ROOT, env=settings, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def end(child: Any) -> None:
    """Kill it with all its workers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate()


def slow(engine: str, why: str) -> NoReturn:
    SLOW[engine] = why
    pytest.skip(why)


def complete(engine: str, *given: Any, **options: Any) -> dict[str, Any]:
    """The report of a run to its end.

    Seldom daft itself has a segmentation fault when its workers are killed on a busy machine (once
    in some hundred runs, not in 25 that were meant to show it); a user gives the command again.
    """
    for _ in range(3):
        report = finish(start(engine, *given, **options), engine)
        if report is not None:
            return report
    raise AssertionError(f"{engine} crashed three times")


def finish(child: Any, engine: str) -> dict[str, Any] | None:
    """What a run reports; None if the engine crashed."""
    try:
        said, _ = child.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        end(child)
        slow(engine, f"{engine} was not done within {LIMIT} s on this machine")
    lines = said.splitlines()
    if "ready" not in lines:
        slow(engine, f"{engine} does not start on this machine")
    if child.returncode == -signal.SIGSEGV:
        return None
    assert child.returncode == 0
    report: dict[str, Any] = json.loads(lines[-1])
    return report


def places(tmp_path: Path) -> tuple[Shards, Shards, Shards]:
    source, here, there = (Shards(str(tmp_path / name)) for name in ("in", "here", "there"))
    shard_rows(ROWS, source, size=3)
    return source, here, there


def parquet(shards: Shards) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(shards.folder).glob("*.parquet")}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "ray"])
def test_the_same_bytes_though_a_worker_is_killed(tmp_path: Path, engine: str) -> None:
    """And a Ray started here listens on the loopback address only."""
    source, here, there = places(tmp_path)
    (tmp_path / "alive").write_text("nobody dies")
    step = "tests.scale.steps:deadly"
    run_step(step, source, here, options={"marker": str(tmp_path / "alive")}, engine=Here())
    died = tmp_path / "died"
    report = complete(engine, source, there, "deadly", marker=str(died))
    assert died.exists()
    assert (report["given"], report["rows"], list(report["poisoned"])) == (40, 40, [])
    assert parquet(there) == parquet(here) and len(parquet(here)) == 14
    if engine == "ray":
        assert report["listening"] and set(report["listening"]) <= LOOPBACK


@pytest.mark.slow
def test_killed_twice_and_taken_up_again(tmp_path: Path) -> None:
    source, here, there = places(tmp_path)
    run_step("tests.scale.steps:double", source, here, engine=Here())
    for wanted in (2, 6):  # shards done when the whole run is killed
        child = start("native", source, there, "double")
        stop = time.monotonic() + LIMIT
        while len(there.done()) < wanted and child.poll() is None and time.monotonic() < stop:
            time.sleep(0.005)
        end(child)
        if len(there.done()) < wanted:
            slow("native", f"native was not at work within {LIMIT} s on this machine")
    report = complete("native", source, there, "double")
    assert report["resumed"] >= 6 and report["given"] == 40
    assert [error["id"] for error in report["poisoned"]] == ["r13"]
    assert parquet(there) == parquet(here)


@pytest.mark.slow
def test_a_row_that_always_kills_is_set_aside(tmp_path: Path) -> None:
    source, _, there = places(tmp_path)
    report = complete("native", source, there, "deadly", value=20)
    assert [error["id"] for error in report["poisoned"]] == ["r20"]
    assert (report["given"], report["rows"]) == (40, 39)
