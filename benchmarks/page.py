"""The page in a real browser on loopback: how soon it is there, and whether it stays awake."""

from __future__ import annotations

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.shared import measured

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
PILE = "\n".join(
    f"Boat {n} came in at noon and the harbour master wrote it down." for n in range(200)
)
ANSWERS = 30


def run(quick: bool) -> list[dict[str, Any]]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return [measured("page: first paint, s", None, note="skipped: playwright is not installed")]
    if CHROMIUM is None or quick:
        why = "in a quick run" if quick else "no Chromium here"
        return [measured("page: first paint, s", None, note=f"skipped: {why}")]
    with served() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        paints = [_paint(browser, url) for _ in range(5)]
        page = browser.new_page()
        page.goto(url)
        page.fill("#text", PILE)
        page.click("#go")
        page.wait_for_selector("#job:not([hidden])")
        waits = [_answer(page) for _ in range(ANSWERS)]
        browser.close()
    first, slowest = statistics.median(paints), max(waits)
    return [
        measured(
            "page: first paint, s",
            first,
            None,
            "<= 1",
            first <= 1,
            f"median of {len(paints)} new tabs",
        ),
        measured(
            "page: slowest answer while a job runs, s",
            slowest,
            None,
            "<= 1",
            slowest <= 1,
            f"of {ANSWERS}",
        ),
    ]


@contextmanager
def served() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-c", "from fabula.cli import main; main()", "serve"]
    with tempfile.TemporaryDirectory() as state:
        server = subprocess.Popen(
            [*command, "--port", str(port), "--state", state], stderr=subprocess.DEVNULL
        )
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(url, timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield url
        finally:
            server.terminate()
            server.wait()


def _paint(browser: Any, url: str) -> float:
    """Seconds from going to the page to its first painted content, in a tab with no cache."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.wait_for_function(f"{PAINT} !== null")
    seconds = float(page.evaluate(PAINT)) / 1000
    context.close()
    return seconds


def _answer(page: Any) -> float:
    started = time.perf_counter()
    page.evaluate("fetch('/api/state').then(answer => answer.text())")
    return time.perf_counter() - started
