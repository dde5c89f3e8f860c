"""Worker processes: started by the threads of several jobs at once."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from fabula.web import process
from fabula.web.worker import PRELOAD


def test_threads_that_start_workers_at_once_do_not_hinder_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each finds the models asked for, and none takes the request away from another."""
    together = Barrier(8)
    asked = []

    def ensure_running() -> None:
        time.sleep(0.001)  # other threads run meanwhile
        asked.append(os.environ[PRELOAD])

    monkeypatch.setattr("multiprocessing.forkserver.ensure_running", ensure_running)

    def start(_: int) -> None:
        together.wait()
        for _ in range(10):
            process.start_models()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(start, range(8)))
    assert asked == ["1"] * 80
    assert PRELOAD not in os.environ
