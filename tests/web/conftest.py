from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.salads import Salad

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# What a browser says of an answer of 4xx, and of a server that was killed on purpose: before an
# answer, or (only in a test that kills it) in the middle of one.
EXPECTED = re.compile(r"status of 4|ERR_CONNECTION|ERR_EMPTY")
CUT_OFF = re.compile(r"ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED")


class Server:
    """``fabula serve`` in a process of its own, that can be killed and started again."""

    def __init__(self, state: Path, runs: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.state = state
        self.runs = runs
        self.url = ""
        self.process: Any = None
        self.kills = 0

    def start(self) -> None:
        said = self.runs.parent / f"{self.state.name}.stderr"
        with said.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from fabula.cli import main; main()", "serve", "--port",
                 str(self.port), "--state", str(self.state), "--runs", str(self.runs)],
                env={**os.environ, "FABULA_TOKEN": "a token: ü%&;,="},
                stderr=errors,
            )  # fmt: skip
        while not (link := said.read_text().strip()) and self.process.poll() is None:
            time.sleep(0.1)
        self.url = link.splitlines()[0]  # printed when it is ready
        urllib.request.urlopen(self.url, timeout=60).close()

    def kill(self) -> None:
        """As hard as it goes: no goodbye, nothing written."""
        self.kills += 1
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    runs = tmp_path_factory.mktemp("runs")
    items = [Salad(f"s{n}", ("one", "two", "three"), (0, 1, 1), stories=2) for n in range(3)]
    fabula.evaluate("salads", items, "unif", folder=runs)
    served = Server(tmp_path_factory.mktemp("page"), runs)
    served.start()
    yield served
    served.process.terminate()
    served.process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here; install it with: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """Opens tabs that fail the test on any script error or blocked resource."""
    contexts, problems, kills = [], [], server.kills

    def opened(**options: Any) -> Any:
        context = browser.new_context(accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(240_000)  # how fast the machine is, is not tested
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda said: (
                problems.append(said.text)
                if said.type == "error" and not EXPECTED.search(said.text)
                else None
            ),
        )
        page.goto(server.url)
        return page

    yield opened
    for context in contexts:
        context.close()
    if server.kills > kills:
        problems = [said for said in problems if not CUT_OFF.search(said)]
    assert problems == []
