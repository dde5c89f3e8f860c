"""A worker process as the server sees it: started on first use, watched, restarted."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

from fabula.web.worker import serve

__all__ = ["WorkerProcess"]


class WorkerProcess:
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
        """What the worker says within ``patience`` seconds, or None; a dead one is an error."""
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

    def megabytes(self) -> float:
        """The memory the process holds; 0 where the system does not say."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1])
        except (OSError, AttributeError, IndexError, ValueError):
            return 0.0
        return pages * 4096 / (1 << 20)

    def end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.join(timeout=3)
            if self.process.is_alive():
                self.process.kill()
                self.process.join(timeout=3)
            self.pipe.close()
            self.process = None

    def _begin(self) -> None:
        self.end()
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
