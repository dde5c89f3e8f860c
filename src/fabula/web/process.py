"""A worker process as the server sees it: started on first use, watched, restarted.

Workers are forked from one process that holds the models (Python's fork server, which imports
``fabula.web.worker``), so the models are in memory once and a new worker has them at once.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import threading
from pathlib import Path
from typing import Any

from fabula.web.worker import PRELOAD, serve

__all__ = ["WorkerProcess", "start_models"]

_log = logging.getLogger(__name__)

_starting = threading.Lock()  # the threads of two jobs may start their workers at once


def start_models() -> Any:
    """The context of processes that are forked from one that holds the models, which is started."""
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    with _starting:
        context.set_forkserver_preload(["fabula.web.worker"])
        os.environ[PRELOAD] = "1"
        try:
            forkserver.ensure_running()
        finally:
            del os.environ[PRELOAD]
    return context


class WorkerProcess:
    """One worker process, started on first use and restarted after it ended or died."""

    def __init__(self) -> None:
        self.process: Any = None
        self.pipe: Any = None

    def ask(self, job: dict[str, Any]) -> None:
        data = json.dumps(job).encode()
        if self.process is None or not self.process.is_alive():
            self.begin()
        try:
            self.pipe.send_bytes(data)
        except OSError as error:
            _log.warning("a worker does not answer (%s); another is started", error)
            self.begin()
            self.pipe.send_bytes(data)

    def answer(self, patience: float) -> dict[str, Any] | None:
        """What the worker says within ``patience`` seconds, or None; a dead one is an error."""
        try:
            if not self.pipe.poll(patience):
                if not self.process.is_alive():
                    raise EOFError
                return None
            answer: dict[str, Any] = json.loads(self.pipe.recv_bytes())
        except (EOFError, OSError) as error:
            _log.warning("a worker ended before it answered (%s)", error or "no reason given")
            self.end()
            return {"error": "the worker process ended; was there enough memory?"}
        return answer

    def megabytes(self) -> float:
        """The memory the process holds; 0 where the system does not say."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1])
        except (OSError, AttributeError, IndexError, ValueError):
            return 0.0
        return pages * 4096 / (1 << 20)

    def own_megabytes(self) -> float:
        """The memory it shares with no other process; 0 where the system does not say."""
        try:
            lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text("ascii").splitlines()
            own = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
        except (OSError, AttributeError, IndexError, ValueError):
            return 0.0
        return sum(own) / 1024

    def end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.join(timeout=3)
            if self.process.is_alive():
                self.process.kill()
                self.process.join(timeout=3)
            self.pipe.close()
            self.process = None

    def begin(self) -> None:
        """Fork a process; once more, if the one that holds the models died over it."""
        self.end()
        for last in (False, True):
            context = start_models()
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs,), daemon=True)
            try:
                process.start()
            except (OSError, EOFError) as error:
                ours.close()
                if last:
                    raise OSError(f"no worker process can be started ({error})") from error
                _log.warning("no worker could be started (%s); trying once more", error)
            else:
                self.process, self.pipe = process, ours
                return
            finally:
                theirs.close()
