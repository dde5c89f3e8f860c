"""Job queue: run jobs in worker processes, report progress, cancel, resume after a restart."""

from __future__ import annotations

import json
import multiprocessing
import queue
import threading
from pathlib import Path
from typing import Any

from fabula.web.store import Store
from fabula.web.worker import serve

__all__ = ["Jobs"]

_POLL_SECONDS = 0.1  # polling interval of a running job


class Jobs:
    """A pool of worker processes, each driven by a thread; call ``start`` and ``stop``."""

    def __init__(self, store: Store, *, workers: int = 2) -> None:
        self.store = store
        self.workers = workers
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._cancelled: set[str] = set()
        self._busy: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._stopping = threading.Event()

    def start(self) -> None:
        for row in self.store.all("job", "id", "state IN ('queued', 'running')"):
            self.store.set("job", row["id"], state="queued", message="taken up again", done=0)
            self._queue.put(row["id"])
        for _ in range(self.workers):
            thread = threading.Thread(target=self._lead, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """End the workers; running jobs are queued again at the next start."""
        self._stopping.set()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(timeout=5)

    def submit(self, kind: str, payload: Any = None, pile: str | None = None) -> str:
        name = self.store.add("job", kind=kind, pile=pile, payload=payload, state="queued")
        self._queue.put(name)
        return name

    def cancel(self, name: str) -> None:
        self._cancelled.add(name)

    def _lead(self) -> None:
        worker = _Worker()
        try:
            while (name := self._queue.get()) is not None and not self._stopping.is_set():
                job = self.store.get("job", name)
                if job is None or job["state"] != "queued":
                    continue
                with self._turn(job["pile"] or name):  # jobs of one pile never overlap
                    self._do(job, worker)
        finally:
            worker.end()

    def _turn(self, key: str) -> threading.Lock:
        with self._guard:
            return self._busy.setdefault(key, threading.Lock())

    def _do(self, job: dict[str, Any], worker: _Worker) -> None:
        name = job["id"]
        payload = self._payload(job)
        if payload is None or name in self._cancelled:
            self.store.set("job", name, state="cancelled")
            return
        self.store.set("job", name, state="running", message="starting")
        worker.ask({"kind": job["kind"], "payload": payload})
        while True:
            if name in self._cancelled:
                worker.end()
                self.store.set("job", name, state="cancelled", message="cancelled")
                return
            if self._stopping.is_set():
                return  # still "running": the next start takes it up
            answer = worker.answer(_POLL_SECONDS)
            if answer is None:
                continue
            if "message" in answer:
                self.store.set("job", name, **answer)
                continue
            self._finish(job, answer)
            return

    def _payload(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """The worker's input, read when the job starts; None if its pile was deleted."""
        if job["kind"] != "assemble":
            return job["payload"] or {}
        pile = self.store.get("pile", job["pile"])
        if pile is None:
            return None
        try:
            files = _files_of(self.store.folder / "piles" / pile["id"])
        except FileNotFoundError:  # the pile is being deleted
            return None
        corrections = {"stories": pile["base"] or {}, "corrections": pile["corrections"]}
        return {
            "title": pile["title"],
            "files": files,
            "stories": pile["stories"],
            "corrections": corrections if pile["corrections"] else None,
            "previous": pile["result"],
        }

    def _finish(self, job: dict[str, Any], answer: dict[str, Any]) -> None:
        name = job["id"]
        if "error" in answer:
            self.store.set("job", name, state="failed", error=answer["error"])
            return
        result = answer["result"]
        if job["kind"] == "assemble":
            self.store.set("pile", job["pile"], result=result["result"], html=result["html"],
                           markdown=result["markdown"])  # fmt: skip
            self.store.set("job", name, state="done", message="")
        else:
            self.store.set("job", name, state="done", message="", result=result["result"],
                           page=result.get("page"))  # fmt: skip


def _files_of(folder: Path) -> list[dict[str, str]]:
    """The uploads of a pile in order of arrival, without the number prefixed on saving."""
    return [
        {"path": str(path), "name": path.name.partition("-")[2]}
        for path in sorted(folder.iterdir())
        if path.is_file()
    ]


class _Worker:
    """One worker process, started on first use and restarted after it ended or died."""

    def __init__(self) -> None:
        self.process: Any = None
        self.pipe: Any = None

    def ask(self, job: dict[str, Any]) -> None:
        data = json.dumps(job).encode()
        if self.process is None or not self.process.is_alive():
            self._begin()
        try:
            self.pipe.send_bytes(data)
        except OSError:
            self._begin()
            self.pipe.send_bytes(data)

    def answer(self, patience: float) -> dict[str, Any] | None:
        try:
            if not self.pipe.poll(patience):
                if not self.process.is_alive():
                    raise EOFError
                return None
            answer: dict[str, Any] = json.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self.end()
            return {"error": "the worker process ended; was there enough memory?"}
        return answer

    def end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.join(timeout=3)
            if self.process.is_alive():
                self.process.kill()
            self.pipe.close()
            self.process = None

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
