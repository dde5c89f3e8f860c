"""Job queue: a supervised pool of worker processes with limits, progress, cancelling, resuming.

Whatever goes wrong with a job (a dead worker, a full disk, a locked database) ends that job with a
reason; the pool goes on. What cannot be stored at once is kept in memory and stored later.
"""

from __future__ import annotations

import base64
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabula.web.process import WorkerProcess
from fabula.web.store import Store, StoreUnavailable
from fabula.web.uploads import remove_uploads, uploads_of

__all__ = ["Jobs", "Limits"]

_POLL_SECONDS = 0.1  # polling interval of a running job
SUPERVISE_SECONDS = 1.0
_KEEP_MEGABYTES = 300  # that an idle worker may hold for itself: the parses of some 500 sentences
ROOM_SECONDS = 1.0  # between looks at the memory that idle workers keep
_LARGE_MEGABYTES = 220  # of a running job, above which idle workers give theirs back
_SPARE_MEGABYTES = 50  # that an idle worker may keep beside a large job
_MOST_TRIES = 3  # starts of a job that ends with its server
_log = logging.getLogger("fabula.web")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may take."""

    seconds: float = 1800
    megabytes: float = 4096


class _Gone(Exception):
    """The job's pile was deleted, or the job was cancelled."""


class Jobs:
    """A pool of worker processes, each driven by a thread; call ``start`` and ``stop``."""

    def __init__(self, store: Store, *, workers: int = 2, limits: Limits | None = None) -> None:
        self.store, self.workers, self.limits = store, workers, limits or Limits()
        self._changed = threading.Condition()  # guards all that follows
        self.pending: list[tuple[str, str]] = []  # job and key, in order; one job a key at a time
        self.running: dict[str, str] = {}
        self.cancelled: set[str] = set()  # of those that run
        self.idle: list[WorkerProcess] = []
        self.last: dict[str, WorkerProcess] = {}  # by key
        self.live: dict[str, dict[str, Any]] = {}  # progress of running jobs
        self.unstored: dict[str, dict[str, Any]] = {}  # ends that the store did not take yet
        self._threads: list[threading.Thread] = []
        self._stopping = threading.Event()

    def recover(self) -> None:
        """Queue the jobs that a stopped server left; one that it left too often has failed."""
        for row in self.store.all("job", "*", "state IN ('queued', 'running')"):
            if row["tries"] >= _MOST_TRIES:
                why = f"the server stopped {_MOST_TRIES} times while this ran"
                self.store.set("job", row["id"], state="failed", error=why)
                continue
            self.store.set("job", row["id"], state="queued", message="taken up again", done=0)
            self._enqueue(row["id"], row["kind"], row["pile"])

    def start(self) -> None:
        for _ in range(self.workers):
            self._begin(self._lead)
        self._begin(self._supervise)

    def stop(self) -> None:
        """End the workers; running jobs are queued again at the next start."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=5)

    def submit(self, kind: str, payload: Any = None, pile: str | None = None) -> str:
        """Queue a job; an assembly of the pile that waits already serves for both."""
        with self._changed:
            waiting = [name for name, key in self.pending if kind == "assemble" and key == pile]
        if waiting:
            return waiting[0]
        name = self.store.add("job", kind=kind, pile=pile, payload=payload, state="queued")
        self._enqueue(name, kind, pile)
        return name

    def cancel(self, name: str) -> None:
        """End a job, whether it waits or runs; one that is over stays as it is."""
        with self._changed:
            waiting = [entry for entry in self.pending if entry[0] == name]
            if waiting:
                self.pending.remove(waiting[0])
            elif name in self.running:
                self.cancelled.add(name)
        if waiting:
            self._end(name, state="cancelled", message="cancelled")

    def wait(self, name: str, seconds: float) -> dict[str, Any]:
        """The row of a job when it has ended; ``TimeoutError`` if that takes too long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            row = self.store.get("job", name)
            if row is None or self.view(row)["state"] not in ("queued", "running"):
                return self.view(row) if row else {"state": "cancelled", "error": None}
            time.sleep(_POLL_SECONDS)
        raise TimeoutError

    def view(self, row: dict[str, Any]) -> dict[str, Any]:
        """A job's row as it is now, with what is not in the store."""
        with self._changed:
            return {**row, **self.live.get(row["id"], {}), **self.unstored.get(row["id"], {})}

    def _begin(self, target: Any) -> None:
        thread = threading.Thread(target=target, daemon=True, name=target.__name__)
        thread.start()
        self._threads.append(thread)

    def _supervise(self) -> None:
        """Store the ends of jobs that could not be stored; replace threads that have died."""
        while not self._stopping.wait(SUPERVISE_SECONDS):
            with self._changed:
                unstored = dict(self.unstored)
            for name, fields in unstored.items():
                self._end(name, **fields)
            alive = [thread for thread in self._threads if thread.is_alive()]
            dead = len(self._threads) - len(alive)
            self._threads = alive
            for _ in range(dead):
                _log.error("a worker's thread died and is replaced")
                self._begin(self._lead)

    def _enqueue(self, name: str, kind: str, pile: str | None) -> None:
        # Assemblies of one pile never overlap; a question about it need not wait for them.
        key = pile if pile and kind == "assemble" else name
        with self._changed:
            self.pending.append((name, key))
            self._changed.notify_all()

    def take(self, worker: WorkerProcess) -> str | None:
        """The first waiting job whose key is free; None when the server stops.

        A pile goes to the worker that solved it last, if that is idle: it has its parses.
        """
        with self._changed:
            self.idle.append(worker)
            try:
                while not self._stopping.is_set():
                    busy = self.running.values()
                    for entry in self.pending:
                        last = self.last.get(entry[1], worker)
                        if entry[1] not in busy and (last is worker or last not in self.idle):
                            self.pending.remove(entry)
                            self.running[entry[0]] = entry[1]
                            self.last[entry[1]] = worker
                            return entry[0]
                    self._changed.wait(timeout=1)
            finally:
                self.idle.remove(worker)
        return None

    def _lead(self) -> None:
        worker = WorkerProcess()
        try:
            while (name := self.take(worker)) is not None:
                try:
                    self._do(name, worker)
                    if worker.own_megabytes() > _KEEP_MEGABYTES:
                        worker.end()  # Python gives little back; a new one has the models at once
                except _Gone:
                    worker.end()
                    self._end(name, state="cancelled", message="cancelled")
                except Exception as error:
                    _log.warning("job %s failed: %s", name, error)
                    worker.end()
                    self._end(name, state="failed", error=str(error) or type(error).__name__)
                finally:
                    with self._changed:
                        self.running.pop(name, None)
                        self.live.pop(name, None)
                        self.cancelled.discard(name)
                        self._changed.notify_all()
        finally:
            worker.end()

    def _do(self, name: str, worker: WorkerProcess) -> None:
        job = self.store.get("job", name)
        if job is None or job["state"] != "queued":
            return
        payload = self.payload_of(job)
        self._tell(name, state="running", message="starting")
        self.store.set("job", name, state="running", tries=job["tries"] + 1)
        worker.ask({"kind": job["kind"], "payload": payload})
        started = looked = time.monotonic()
        while True:
            if name in self.cancelled:
                raise _Gone
            if self._stopping.is_set():
                return  # still "running": the next start takes it up
            if time.monotonic() - started > self.limits.seconds:
                raise TimeoutError(f"took longer than {self.limits.seconds:,.0f} seconds")
            if (held := worker.megabytes()) > self.limits.megabytes:
                raise MemoryError(
                    f"needed {held:,.0f} MB of memory; a job may take {self.limits.megabytes:,.0f}"
                )
            if time.monotonic() - looked > ROOM_SECONDS:
                looked = time.monotonic()
                self._make_room(worker)
            answer = worker.answer(_POLL_SECONDS)
            if answer is not None and "message" in answer:
                self._tell(name, **answer)
            elif answer is not None:
                self._finish(job, answer)
                return

    def _make_room(self, worker: WorkerProcess) -> None:
        """End idle workers that keep parses of their own while a large job needs the memory.

        An idle worker is used by nobody while the lock is held; the next job starts it again.
        """
        if worker.own_megabytes() <= _LARGE_MEGABYTES:
            return
        with self._changed:
            for other in self.idle:
                if other.own_megabytes() > _SPARE_MEGABYTES:
                    other.end()

    def _tell(self, name: str, **fields: Any) -> None:
        with self._changed:
            self.live[name] = {**self.live.get(name, {}), **fields}

    def payload_of(self, job: dict[str, Any]) -> dict[str, Any]:
        """The worker's input, read when the job starts."""
        if job["kind"] == "audit":
            return dict(job["payload"] or {})
        pile = self.store.get("pile", job["pile"])
        if pile is None:
            raise _Gone
        job["revision"] = pile["revision"]
        try:
            files: list[dict[str, Any]] = uploads_of(self.store.folder / "piles" / pile["id"])
        except FileNotFoundError:  # the pile is being deleted
            raise _Gone from None
        corrections = {"stories": pile["base"] or {}, "corrections": pile["corrections"]}
        for file in files:
            file["date_order"] = (pile["date_orders"] or {}).get(Path(file["path"]).name)
        return {
            **(job["payload"] or {}),  # the format of an export
            "title": pile["title"],
            "files": files,
            "stories": pile["stories"],
            "date": pile["anchor"],
            "corrections": corrections if pile["corrections"] else None,
            "previous": pile["result"] or _numbered(pile["numbers"] or {}),
        }

    def _finish(self, job: dict[str, Any], answer: dict[str, Any]) -> None:
        if "error" in answer:
            self._end(job["id"], state="failed", error=answer["error"])
            return
        result = answer["result"]
        if job["kind"] == "assemble":
            documents = result.pop("documents", [])
            if "vectors" in result:
                result["vectors"] = base64.b64decode(result["vectors"])
            self.store.finish(job["pile"], documents, solved=job["revision"], **result)
            self._end(job["id"], state="done", message="")
        else:
            self.store.set("job", job["id"], result=result["result"], page=result.get("page"))
            self._end(job["id"], state="done", message="")

    def _end(self, name: str, **fields: Any) -> None:
        """Store how a job ended, now or later; the file of an audit has served its purpose."""
        try:
            job = self.store.get("job", name)
            if job is not None:
                self.store.set("job", name, **fields)
                if job["kind"] == "audit":
                    remove_uploads(Path((job["payload"] or {})["file"]["path"]).parent)
        except StoreUnavailable as error:
            _log.warning("the end of job %s is not stored yet: %s", name, error)
            with self._changed:
                self.unstored[name] = fields
            return
        except (OSError, KeyError) as error:
            _log.warning("the file of job %s stays: %s", name, error)
        with self._changed:
            self.unstored.pop(name, None)


def _numbered(numbers: Mapping[str, int]) -> dict[str, Any] | None:
    """An earlier answer, as far as story numbers go; None where there was none."""
    stories: dict[int, list[dict[str, str]]] = {}
    for sentence, story in numbers.items():
        stories.setdefault(story, []).append({"id": sentence, "text": ""})
    found = [{"id": number, "sentences": named} for number, named in stories.items()]
    return {"stories": found} if found else None
