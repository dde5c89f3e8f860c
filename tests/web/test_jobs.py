"""The queue: whatever happens to a job, it ends, it says why, and the next one runs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula.web import jobs as jobs_module
from fabula.web import store as store_module
from fabula.web.jobs import Jobs, Limits
from fabula.web.store import Store

DONE = {"result": {"result": {"stories": []}, "html": "", "markdown": ""}}


class Worker:
    """Stands in for the worker process: answers by what the job's text says."""

    text = ""
    memory = 1.0
    ended = False

    def ask(self, job: dict[str, Any]) -> None:
        self.text = job["payload"].get("title", "")
        self.memory = 9000.0 if self.text == "large" else 1.0

    def answer(self, patience: float) -> dict[str, Any] | None:
        time.sleep(0.01)
        if self.text == "crash":
            raise RuntimeError("the pipe broke")
        if self.text == "dead":
            return {"error": "the worker process ended; was there enough memory?"}
        return None if self.text in ("endless", "large", "growing") else DONE

    def megabytes(self) -> float:
        return self.memory

    def own_megabytes(self) -> float:
        return {"greedy": 900.0, "growing": 900.0, "some": 120.0}.get(self.text, 1.0)

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    monkeypatch.setattr(jobs_module, "WorkerProcess", Worker)
    monkeypatch.setattr(jobs_module, "SUPERVISE_SECONDS", 0.05)
    jobs = Jobs(Store(tmp_path), workers=2, limits=Limits(1.0, 4096))
    yield jobs
    jobs.stop()


def pile(jobs: Jobs, title: str) -> str:
    name = jobs.store.add("pile", title=title)
    (jobs.store.folder / "piles" / name).mkdir(parents=True)
    return name


def submit(jobs: Jobs, title: str) -> str:
    return jobs.submit("assemble", pile=pile(jobs, title))


def state(jobs: Jobs, name: str) -> dict[str, Any]:
    row = jobs.store.get("job", name)
    assert row is not None
    return jobs.view(row)


def until(condition: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("title", "reason"),
    [("crash", "the pipe broke"), ("dead", "process ended"), ("large", "9,000 MB"),
     ("endless", "took longer than 1 seconds")],
)  # fmt: skip
def test_a_job_that_goes_wrong_fails_with_a_reason(queue: Jobs, title: str, reason: str) -> None:
    queue.start()
    bad = [submit(queue, title) for _ in range(3)]
    good = submit(queue, "good")
    until(lambda: state(queue, good)["state"] == "done")
    until(lambda: all(state(queue, name)["state"] == "failed" for name in bad))
    assert all(reason in state(queue, name)["error"] for name in bad)


def test_a_locked_database_fails_jobs_and_the_next_ones_run(
    queue: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "WAIT_SECONDS", 0.5)
    queue.limits = Limits(60, 4096)
    queue.start()
    running = submit(queue, "endless")
    until(lambda: state(queue, running)["state"] == "running")
    lock = sqlite3.connect(queue.store.path, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    queue.cancel(running)
    until(lambda: queue.unstored.get(running))  # its end waits in memory
    lock.execute("ROLLBACK")
    lock.close()
    until(lambda: not queue.unstored)
    row = queue.store.get("job", running)
    assert row is not None and row["state"] == "cancelled"
    good = submit(queue, "good")
    until(lambda: state(queue, good)["state"] == "done")


def test_a_full_disk_fails_jobs_and_the_next_ones_run(queue: Jobs) -> None:
    names = [submit(queue, "good") for _ in range(4)]
    with queue.store.database() as database:
        queue.store.pages = database.execute("PRAGMA page_count").fetchone()[0]
    DONE["result"]["html"] = "x" * 200_000  # more than is left
    try:
        queue.start()
        until(lambda: all(state(queue, name)["state"] == "failed" for name in names))
    finally:
        DONE["result"]["html"] = ""
    assert "full" in state(queue, names[0])["error"]
    queue.store.pages = None
    good = submit(queue, "good")
    until(lambda: state(queue, good)["state"] == "done")


def test_queued_jobs_can_be_cancelled_also_behind_their_pile(queue: Jobs) -> None:
    queue.limits = Limits(60, 4096)
    name = pile(queue, "endless")
    first = queue.submit("assemble", pile=name)
    queue.start()
    until(lambda: state(queue, first)["state"] == "running")
    second = queue.submit("assemble", pile=name)
    assert queue.submit("assemble", pile=name) == second  # it has not begun: it serves for both
    assert state(queue, second)["state"] == "queued"
    other = submit(queue, "good")  # the second worker is not held up by the pile
    until(lambda: state(queue, other)["state"] == "done")
    queue.cancel(second)
    assert state(queue, second)["state"] == "cancelled"
    third = queue.submit("assemble", pile=name)
    queue.cancel(first)
    until(lambda: state(queue, first)["state"] == "cancelled")
    until(lambda: state(queue, third)["state"] == "running")
    queue.cancel(third)
    until(lambda: state(queue, third)["state"] == "cancelled")
    assert not queue.cancelled and not queue.running and not queue.live


def test_a_pile_goes_to_the_worker_that_has_read_it(queue: Jobs) -> None:
    queue.start()
    name, other = pile(queue, "good"), pile(queue, "good")
    until(lambda: len(queue.idle) == 2)
    workers = []
    for turn in (name, other, name, name, other, name):
        job = queue.submit("assemble", pile=turn)
        until(lambda job=job: state(queue, job)["state"] == "done")  # type: ignore[misc]
        until(lambda: len(queue.idle) == 2)
        workers.append((turn, queue.last[turn]))
    assert len(set(workers)) == 2


def test_a_worker_that_holds_much_does_not_stay(queue: Jobs) -> None:
    queue.start()
    ended = {}
    for title in ("good", "greedy"):
        name = pile(queue, title)
        job = queue.submit("assemble", pile=name)
        until(lambda job=job: state(queue, job)["state"] == "done")  # type: ignore[misc]
        until(lambda: len(queue.idle) == 2)
        ended[title] = queue.last[name].ended  # type: ignore[attr-defined]
    assert ended == {"good": False, "greedy": True}


def test_idle_workers_make_room_for_a_large_job(
    queue: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "ROOM_SECONDS", 0.02)
    queue.start()
    kept = pile(queue, "some")
    job = queue.submit("assemble", pile=kept)
    until(lambda: state(queue, job)["state"] == "done" and len(queue.idle) == 2)
    idle: Any = queue.last[kept]
    assert not idle.ended  # it keeps what it has read
    other: Any = next(worker for worker in queue.idle if worker is not idle)
    large = pile(queue, "growing")
    queue.last[large] = other  # else either of the two may take it
    queue.submit("assemble", pile=large)
    until(lambda: idle.ended)


def test_a_thread_that_dies_is_replaced(queue: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.excepthook", lambda *_: None)
    take, deaths = queue.take, iter([True, True, False])

    def deadly(worker: Any) -> str | None:
        if next(deaths, False):
            raise SystemExit
        return take(worker)

    monkeypatch.setattr(queue, "take", deadly)
    queue.start()
    good = submit(queue, "good")
    until(lambda: state(queue, good)["state"] == "done")


def test_what_a_stopped_server_left_is_taken_up_but_not_for_ever(tmp_path: Path) -> None:
    store = Store(tmp_path)
    once = store.add("job", kind="assemble", state="running", tries=1)
    often = store.add("job", kind="assemble", state="running", tries=3)
    jobs = Jobs(store)
    jobs.recover()
    assert [name for name, _ in jobs.pending] == [once]
    row = store.get("job", often)
    assert row is not None and row["state"] == "failed" and "stopped 3 times" in row["error"]


def test_the_file_of_an_audit_goes_with_its_job(queue: Jobs, tmp_path: Path) -> None:
    file = tmp_path / "audits" / "a" / "0001-x.csv"
    file.parent.mkdir(parents=True)
    file.write_text("x")
    job = queue.submit("audit", {"file": {"path": str(file), "name": "x.csv"}})
    queue.start()
    until(lambda: state(queue, job)["state"] == "done")
    until(lambda: not file.parent.exists())
