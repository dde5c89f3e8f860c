"""Faults of a running page: a locked database, a full and a read-only disk, killed processes.

Whatever was accepted (answered with 200) must be there afterwards, and every job must end.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

TOKEN = "attack"
TEXT = "The ferry left at nine. The baker rose early. The ferry sank. The baker slept. {}"


class Page:
    """``fabula serve`` in a process of its own, asked over HTTP."""

    def __init__(self, state: Path) -> None:
        self.state = state
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.accepted: dict[str, list[str]] = {}  # pile: the texts that the server took

    def start(self) -> None:
        code = "from fabula.cli import main; main()"
        line = [sys.executable, "-c", code, "serve", "--port", str(self.port), "--state"]
        self.process = subprocess.Popen(
            [*line, str(self.state)],
            env={**os.environ, "FABULA_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"},
            stderr=subprocess.DEVNULL,
        )
        until(lambda: self.ask("/api/state")[0] == 200, 60)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def ask(self, path: str, data: Any = None) -> tuple[int, Any]:
        """The status and the JSON of an answer; 0 if there is none."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if data is None else json.dumps(data).encode(),
            headers={
                "authorization": f"Bearer {TOKEN}",
                "x-fabula": "1",
                "content-type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):
            return 0, None

    def upload(self, number: int) -> int:
        text = TEXT.format(f"Number {number} came.")
        status, answer = self.ask("/api/piles", {"text": text})
        if status == 200:
            self.accepted[answer["pile"]] = [text]
        return status

    def workers(self) -> list[psutil.Process]:
        found: list[psutil.Process] = psutil.Process(self.process.pid).children(recursive=True)
        return found

    def megabytes(self) -> float:
        processes = [psutil.Process(self.process.pid), *self.workers()]
        held: int = sum(process.memory_info().rss for process in processes)
        return held / (1 << 20)

    def states(self) -> list[str | None]:
        found = []
        for pile in self.accepted:
            _, answer = self.ask(f"/api/piles/{pile}")
            found.append(answer["job"]["state"] if answer and answer["job"] else None)
        return found

    def failures(self, seconds: float = 120) -> list[str]:
        """What is wrong once the fault is over: jobs that do not end, texts that are gone."""
        with suppress(TimeoutError):
            until(lambda: not {"queued", "running"} & set(self.states()), seconds)
        bad = [f"a job is {state}" for state in self.states() if state in ("queued", "running")]
        for pile, texts in self.accepted.items():
            kept = [path.read_text() for path in sorted((self.state / "piles" / pile).glob("*"))]
            if [text for text in texts if text not in kept]:
                bad.append(f"the text of {pile} is lost")
        if self.upload(999) != 200:
            return [*bad, "nothing is accepted any more"]
        name = list(self.accepted)[-1]
        last = f"/api/piles/{name}"
        with suppress(TimeoutError):
            until(lambda: self.ask(last)[1]["job"]["state"] == "done", seconds)
            return bad
        return [*bad, "the next job does not get done"]


def until(condition: Callable[[], Any], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.1)


@contextmanager
def page(state: Path) -> Iterator[Page]:
    state.mkdir(parents=True, exist_ok=True)
    served = Page(state)
    served.start()
    try:
        yield served
    finally:
        served.stop()


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A file system of 4 MB in memory, where this user may mount one; else None."""
    folder.mkdir(parents=True)
    mounted = _mount("-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", folder)
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def locked(folder: Path, times: int) -> list[str]:
    with page(folder) as served:
        served.upload(0)
        lock = sqlite3.connect(folder / "fabula.sqlite", isolation_level=None)
        lock.execute("PRAGMA busy_timeout=10000")
        lock.execute("BEGIN EXCLUSIVE")
        for number in range(1, min(times, 2) + 1):
            served.upload(number)
        lock.execute("ROLLBACK")
        lock.close()
        return served.failures()


def killed_workers(folder: Path, times: int) -> list[str]:
    with page(folder) as served:
        for number in range(times):
            served.upload(number)
            time.sleep(0.5)
            for worker in served.workers():
                with suppress(psutil.Error):
                    # Each second time also the process that holds the models, their parent.
                    forked = "forkserver" in " ".join(worker.parent().cmdline())
                    if "forkserver" in " ".join(worker.cmdline()) and (forked or number % 2):
                        worker.kill()
        return served.failures()


def killed_server(folder: Path, times: int) -> list[str]:
    with page(folder) as served:
        for number in range(times):
            served.upload(number)
            os.kill(served.process.pid, signal.SIGKILL)
            served.process.wait()
            served.start()
        return served.failures()


def full_disk(folder: Path, times: int) -> list[str]:
    with small_disk(folder) as disk:
        if disk is None:
            return []
        with page(disk / "state") as served:
            served.upload(0)
            filler = disk / "filler"
            with suppress(OSError), filler.open("wb", buffering=0) as stream:
                while True:
                    stream.write(b"x" * 4096)
            for number in range(1, times + 1):
                served.upload(number)
            filler.unlink()
            return served.failures()


def read_only(folder: Path, times: int) -> list[str]:
    with page(folder) as served:
        served.upload(0)
        until(lambda: served.states() == ["done"], 120)
        # A mount in use stays writable; one on top of what is opened anew for each call does not.
        covered = [folder / "piles", folder / "fabula.sqlite"]
        mounts = [_mount("--bind", path, path) for path in covered]
        try:
            if not all(mounts):
                return []  # this user may not mount
            if not all(_mount("-o", "remount,ro,bind", path) for path in covered):
                return ["the disk could not be made read-only"]
            accepted = [number for number in range(1, times + 1) if served.upload(number) == 200]
        finally:
            for path, mounted in zip(covered, mounts, strict=True):
                if mounted:
                    subprocess.run(["umount", "-l", str(path)], check=False)
        return [f"upload {number} was accepted" for number in accepted] + served.failures()


def _mount(*arguments: str | Path) -> bool:
    line = ["mount", *map(str, arguments)]
    try:
        return subprocess.run(line, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


FAULTS: dict[str, Callable[[Path, int], list[str]]] = {
    "locked database": locked,
    "killed workers": killed_workers,
    "killed server": killed_server,
    "full disk": full_disk,
    "read-only disk": read_only,
}


def growth(folder: Path, jobs: int) -> float:
    """Megabytes that the server and its workers grow by in the second half of so many jobs."""
    with page(folder) as served:
        half = 0.0
        for number in range(jobs):
            served.accepted.clear()
            served.upload(number)
            until(lambda: served.states() == ["done"], 120)
            if number == jobs // 2 - 1:
                half = served.megabytes()
        return served.megabytes() - half
