"""One plan in two places: equal stores, two workers, memory, being killed, and many salads.

    python -m benchmarks scale
    python -m benchmarks.scale chains --documents 100 --engine native --workers 2
    python -m benchmarks.scale kills
    python -m benchmarks.scale salads

Speed-up is by processor time, since on a shared machine the clock says little: how long the parsing
step takes is the processor seconds of the busiest worker, at one worker and at two.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.shared import DATA, measured

ROOT = Path(__file__).parents[1]
WIKI = DATA / "wiki_conflict.jsonl.xz"
SPEEDUP, MEGABYTES, GROWTH = 1.6, 1536.0, 1.1
SALADS, MINUTES, SALAD_MEGABYTES = 500_000, 3.0, 2048.0
KILLS = 10


def run(quick: bool, documents: int = 600) -> list[dict[str, Any]]:
    rows = salads(20_000 if quick else SALADS)
    missing = [name for name in ("daft", "ray", "fsspec") if find_spec(name) is None]
    if quick or missing or not WIKI.is_file():
        why = "too long for --quick" if quick else f"not here: {', '.join(missing) or WIKI.name}"
        return [*rows, measured("scale: engines", None, note=why)]
    with tempfile.TemporaryDirectory() as folder:
        return [*rows, *engines(Path(folder), documents), kills(Path(folder) / "kills")]


# Many salads

_CHILD = """
import sys, time
from benchmarks.salads_build import sources
from fabula.salads.build.mix import build_salads
from fabula.text.io.records import write_records
some = sources(20_000)
started, cpu = time.monotonic(), time.process_time()
rows = (salad.to_row() for salad in build_salads(some, n=int(sys.argv[1])))
made = write_records(sys.argv[2] + "/salads.jsonl", rows)
peak = next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]
print(made, time.monotonic() - started, time.process_time() - cpu, int(peak) / 1024)
"""


def salads(number: int) -> list[dict[str, Any]]:
    """Salads of pre-split documents to a file; the process's own time and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-c", _CHILD, str(number), folder]
        done = subprocess.run(line, check=True, capture_output=True, text=True, cwd=ROOT)
    made, clock, cpu, peak = map(float, done.stdout.split())
    assert made == number
    limit = 60 * MINUTES * number / SALADS
    note = f"{number:,} of 20,000 documents, written as JSONL; {clock:.1f} s by the clock"
    return [
        measured("random salads, processor s", cpu, None, f"<= {limit:g}", cpu <= limit, note),
        measured(
            "random salads, peak MB",
            peak,
            None,
            f"<= {SALAD_MEGABYTES:g}",
            peak <= SALAD_MEGABYTES,
            note,
        ),
    ]


# The same documents on both engines


def engines(folder: Path, documents: int) -> list[dict[str, Any]]:
    """Chains and counts by one native worker, two native workers, and two Ray workers."""
    corpus = corpus_of(folder, documents)
    facts = {
        name: chains(corpus, folder / name, engine, workers, max(1, min(50, documents // 12)))
        for name, engine, workers in (
            ("one", "native", 1),
            ("two", "native", 2),
            ("ray", "ray", 2),
        )
    }
    one, two, ray = (facts[name] for name in ("one", "two", "ray"))
    equal = one["store"] == two["store"] == ray["store"]
    load = f"{documents} documents, {two['tokens']:,} tokens; load {os.getloadavg()[0]:.1f}"
    ratio = one["busiest"] / two["busiest"]
    rate = two["tokens"] / two["parse"]
    most = max(two["memory_mb"], ray["memory_mb"])
    grown = max(fact["growth"] for fact in facts.values())
    return [
        measured("scale: equal stores, native and Ray", int(equal), None, "1", equal, load),
        measured(
            "scale: 2 workers over 1, parsing",
            ratio,
            None,
            f">= {SPEEDUP:g}",
            ratio >= SPEEDUP,
            f"processor seconds of the busiest worker; {load}",
        ),
        measured("scale: tokens a processor second", rate, note="in the parsing step"),
        measured(
            "scale: memory of a worker, MB",
            most,
            None,
            f"<= {MEGABYTES:g}",
            most <= MEGABYTES,
            load,
        ),
        measured(
            "scale: memory, last over middle shard",
            grown,
            None,
            f"<= {GROWTH:g}",
            grown <= GROWTH,
            "what a worker holds after its last shard and half-way",
        ),
    ]


def corpus_of(folder: Path, documents: int) -> Path:
    from fabula.text.io.documents import read_documents
    from fabula.text.io.records import write_records

    path = folder / "corpus.jsonl"
    rows = (
        {"id": document.id, "text": document.text, "category": document.category}
        for document in islice(read_documents(WIKI), documents)
    )
    write_records(path, rows)
    return path


def chains(
    corpus: Path, folder: Path, engine: str, workers: int, shard: int = 50
) -> dict[str, Any]:
    """Build chains in shards and a store of counts from them; what the shards say of it."""
    folder.mkdir(exist_ok=True)
    how = ["--engine", engine, "--workers", str(workers), "--json", "-q"]
    made, store = folder / "chains.shards", folder / "counts"
    _fabula("build", "chains", str(corpus), "-o", str(made), "--shard", str(shard), *how)
    _fabula("build", "counts", str(made), "-o", str(store), *how)
    markers = [json.loads(p.read_text()) for p in sorted(made.glob("[0-9]*.json"))]
    busy, held = defaultdict(float), defaultdict(list)
    for marker in sorted(markers, key=lambda marker: marker["ended"]):
        busy[marker["worker"]] += marker["cpu_seconds"]
        held[marker["worker"]].append(marker["held_mb"])
    return {
        "store": store_of(store),
        "workers": len(busy),
        "tokens": sum(marker["tally"]["tokens"] for marker in markers),
        "parse": sum(marker["cpu_seconds"] for marker in markers),
        "busiest": max(busy.values()),
        "memory_mb": max(marker["memory_mb"] for marker in markers),
        "growth": max(some[-1] / some[len(some) // 2] for some in held.values()),
        "run": json.loads((folder / "chains.run.meta.json").read_text()),
    }


def store_of(folder: Path) -> dict[str, str]:
    """What is in a store: every array and list by its name, without the generation's."""
    return {
        path.name.partition("-")[0]: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if "-" in path.name
    }


def _fabula(*line: str) -> None:
    program = [sys.executable, "-c", "from fabula.cli import main; main()"]
    settings = {**os.environ, "RAY_worker_niceness": "0"}  # both engines at the same priority
    subprocess.run([*program, *line], check=True, cwd=ROOT, env=settings, stdout=subprocess.DEVNULL)


# Being killed


_KILLED = """
import sys
from fabula.scale import Engine, Plan
from fabula.text.io.documents import read_documents
from fabula.text.io.records import write_records
plan = Plan(sys.argv[1], engine=Engine(workers=2), size=1)
documents = plan.read(document.to_row() for document in read_documents("sample"))
made = plan.run("fabula.ordering.steps:texts", documents, window=(3, 5))
write_records(sys.argv[2], made.rows())
"""


def kills(folder: Path, seed: int = 0) -> dict[str, Any]:
    """Ordering items of the sample corpus in small shards, killed ten times, and left alone.

    A kill comes a random moment after a random number of further shards, so that most fall into
    the work and some into starting, reading and ending.
    """
    from fabula.ordering.build import build_texts
    from fabula.text.io.documents import read_documents

    folder.mkdir(parents=True)
    target, shards = folder / "killed.jsonl", folder / "work" / "texts"
    line = [sys.executable, "-c", _KILLED, str(folder / "work"), str(target)]
    rng, kept = random.Random(seed), []
    while len(kept) < KILLS:
        child = subprocess.Popen(line, cwd=ROOT, start_new_session=True)
        wanted = _done(shards) + rng.randint(0, 5)
        while child.poll() is None and _done(shards) < wanted:
            time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(rng.uniform(0, 0.2))
        if child.poll() is None:
            kept.append(_done(shards))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    subprocess.run(line, check=True, cwd=ROOT)
    texts = [text.to_row() for text in build_texts(read_documents("sample"), window=(3, 5))]
    found = [json.loads(text)["row"] for text in target.read_text().splitlines()]
    total = f"{len(found):,} items in {_done(shards)} shards"
    note = f"kill -9 of the whole run with {', '.join(map(str, kept))} shards done; {total}"
    equal = found == texts
    return measured(f"scale: equal after {KILLS} kills", int(equal), None, "1", equal, note)


def _done(folder: Path) -> int:
    return len(list(folder.glob("[0-9]*.json")))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("chains", "engines", "kills", "salads"))
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--engine", default="native")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: Any
        if given.what == "chains":
            corpus = corpus_of(folder, given.documents)
            found = chains(corpus, folder / "run", given.engine, given.workers)
        elif given.what == "engines":
            found = engines(folder, given.documents)
        else:
            found = kills(folder / "kills") if given.what == "kills" else salads(SALADS)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
