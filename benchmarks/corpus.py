"""A whole corpus: reports of 100 to 120 words from the test part, one article one story.

    python -m benchmarks corpus
    python -m benchmarks.corpus kills
    python -m benchmarks.corpus engines
    python -m benchmarks.corpus bertopic VECTORS.npy TEXTS.jsonl

Times are of the processor, of all workers together, since on a shared machine the clock says
little. The parser's and the encoder's own time is measured on every twentieth report in the same
run. The picture of the growth goes to ``runs/corpus-growth.svg``.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus_data import WIKI, Report, bcubed, corpus, reports
from benchmarks.shared import measured

ROOT = Path(__file__).parents[1]
SIZES = (2_000, 6_000, 20_000)
QUICK = (300, 600)
NEW = 1_000
F1, TIMES, MEGABYTES, EXPONENT, UPDATE = 0.90, 1.5, 4096.0, 1.15, 0.10
KILLS = 5


def run(quick: bool) -> list[dict[str, Any]]:
    if not WIKI.is_file():
        return [measured("corpus: stories", None, note=f"not here: {WIKI.name}")]
    sizes = QUICK if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = {}
        for size in sizes:
            given = write(folder / f"{size}.jsonl", corpus("test", size))
            runs[size] = assemble(given, folder / str(size))
        largest = sizes[-1]
        rows = stories(folder, largest, runs[largest], own_time(corpus("test", largest)[::20], 20))
        rows.append(growth(runs, quick))
        rows.append(update(folder, largest, runs[largest], quick))
        rows += [] if quick else peers(folder / str(largest), corpus("test", largest))
        if not quick and find_spec("ray"):
            rows.append(engines(folder / "engines"))
            rows.append(kills(folder / "kills"))
        return rows


def write(path: Path, some: Sequence[Report], first: int = 0) -> Path:
    """The reports as JSONL, named by their numbers; the stories are not in it."""
    lines = [json.dumps({"id": f"r{n}", "text": r.text}) for n, r in enumerate(some, first)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def assemble(given: Path, target: Path, *options: str) -> dict[str, float]:
    """``fabula assemble``: processor and wall seconds, and the most memory of all its processes."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = start(given, target, "--workers", "2", *options)
    peak, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            peak[0] = max(peak[0], _memory(child.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = child.wait()
    done.set()
    watcher.join()
    if code:
        raise RuntimeError(f"assemble ended with {code}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": time.monotonic() - started, "mb": peak[0]}


def start(given: Path, target: Path, *options: str) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-c", "from fabula.cli import main; main()", "assemble"]
    line = [*program, str(given), "-o", str(target), "-q", "--json", *options]
    settings = {**os.environ, "RAY_worker_niceness": "0"}
    return subprocess.Popen(
        line, cwd=ROOT, env=settings, stdout=subprocess.DEVNULL, start_new_session=True
    )


def _memory(group: int) -> float:
    """Megabytes of all processes of a session: private memory, and shared memory once."""
    total = 0.0
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            session = path.joinpath("stat").read_text().rpartition(")")[2].split()[3]
            if int(session) == group:
                rollup = path.joinpath("smaps_rollup").read_text()
                total += next(int(x.split()[1]) for x in rollup.splitlines() if x[:4] == "Pss:")
    return total / 1024


_OWN = """
import json, sys, time
from fabula.text.encoders.sentence import MiniLM
from fabula.text.parse.pipeline import Parser
texts = json.load(sys.stdin)
encoder, parser = MiniLM(cached=False), Parser()
encoder.encode(texts[:2]); list(parser.each(len, texts[:2]))
started = time.process_time(); encoder.encode(texts); encoding = time.process_time() - started
started = time.process_time(); list(parser.each(len, texts))
parsing = time.process_time() - started
print(json.dumps({"encoder": encoding, "parser": parsing}))
"""


def own_time(some: Sequence[Report], times: int) -> dict[str, float]:
    """Processor seconds of the encoder and of the parser alone, times so many."""
    texts = json.dumps([report.text for report in some])
    done = subprocess.run(
        [sys.executable, "-c", _OWN], input=texts, check=True, capture_output=True, text=True,
        cwd=ROOT,
    )  # fmt: skip
    return {name: value * times for name, value in json.loads(done.stdout).items()}


def found_in(folder: Path, n: int | None = None) -> list[int]:
    """The stories of the reports, by their numbers."""
    import pyarrow.parquet as pq

    rows = pq.read_table(folder / "documents.parquet", columns=["id", "story"]).to_pylist()
    stories = {int(row["id"][1:]): row["story"] for row in rows}
    return [stories[number] for number in range(n or len(stories))]


def stories(
    folder: Path, size: int, took: dict[str, float], own: dict[str, float]
) -> list[dict[str, Any]]:
    some = corpus("test", size)
    gold, found = [report.story for report in some], found_in(folder / str(size))
    precision, recall, f1 = bcubed(gold, found)
    low, high = interval(gold, found)
    disjoint = len(reports("test"))
    both = own["encoder"] + own["parser"]
    ratio = took["cpu"] / both
    at = f"{size:,} reports"
    if size > disjoint:
        at += f", {disjoint:,} of them without overlap, {size - disjoint:,} of the longest articles"
    return [
        measured(
            f"corpus: BCubed F1, {size:,} reports", f1, None, f">= {F1:g}", f1 >= F1,
            f"[{low:.3f}, {high:.3f}]; precision {precision:.3f}, recall {recall:.3f}; "
            f"{len(set(found)):,} stories, {len(set(gold)):,} are right; {at}",
        ),
        measured(
            "corpus: time over parser and encoder", ratio, None, f"<= {TIMES:g}", ratio <= TIMES,
            f"{took['cpu']:.0f} s of processor; encoder {own['encoder']:.0f} s, parser "
            f"{own['parser']:.0f} s; {took['wall']:.0f} s by the clock, "
            f"load {os.getloadavg()[0]:.1f}",
        ),
        measured(
            "corpus: most memory, MB", took["mb"], None, f"<= {MEGABYTES:g}",
            took["mb"] <= MEGABYTES, "all processes together",
        ),
    ]  # fmt: skip


def interval(gold: Sequence[str], found: Sequence[int], draws: int = 200) -> tuple[float, float]:
    """The 95 % interval of F1 by drawing articles with replacement."""
    members: dict[str, list[int]] = {}
    for number, story in enumerate(gold):
        members.setdefault(story, []).append(number)
    rng, names, scores = random.Random(0), sorted(members), []
    pairs = _each(gold, found)
    for _ in range(draws):
        drawn = [number for name in rng.choices(names, k=len(names)) for number in members[name]]
        precision, recall = pairs[drawn].mean(axis=0)
        scores.append(2 * precision * recall / (precision + recall))
    return tuple(np.quantile(scores, [0.025, 0.975]).tolist())  # type: ignore[return-value]


def _each(gold: Sequence[str], found: Sequence[int]) -> np.ndarray[Any, Any]:
    """BCubed precision and recall of each report."""
    from collections import Counter

    both, of_gold, of_found = Counter(zip(gold, found, strict=True)), Counter(gold), Counter(found)
    return np.array(
        [
            (both[g, f] / of_found[f], both[g, f] / of_gold[g])
            for g, f in zip(gold, found, strict=True)
        ]
    )


def growth(runs: dict[int, dict[str, float]], quick: bool) -> dict[str, Any]:
    from benchmarks.growth import Curve, picture

    sizes = sorted(runs)
    seconds = [runs[size]["cpu"] for size in sizes]
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    curve = Curve(
        "reports to stories", list(sizes), seconds, [runs[size]["mb"] for size in sizes], EXPONENT
    )
    Path("runs").mkdir(exist_ok=True)
    Path("runs/corpus-growth.svg").write_text(picture([curve]), encoding="utf-8")
    shown = ", ".join(f"{size:,}: {runs[size]['cpu']:.0f} s" for size in sizes)
    return measured(
        "corpus: growth of processor time", exponent, None, f"<= {EXPONENT:g}",
        None if quick else exponent <= EXPONENT, shown,
    )  # fmt: skip


def update(folder: Path, size: int, whole: dict[str, float], quick: bool) -> dict[str, Any]:
    """New reports of articles of the development part on top of the corpus."""
    new = 60 if quick else NEW
    given = write(folder / "new.jsonl", corpus("dev", new), size)
    target = folder / "updated"
    took = assemble(given, target, "--previous", str(folder / str(size)))
    share = took["cpu"] / whole["cpu"]
    gold = [r.story for r in [*corpus("test", size), *corpus("dev", new)]]
    # Of the new ones, among all: a new story that joins an old one is wrong.
    precision, recall = _each(gold, found_in(target, size + new))[size:].mean(axis=0)
    f1 = 2 * precision * recall / (precision + recall)
    return measured(
        f"corpus: {new:,} new reports over the whole run", share, None, f"<= {UPDATE:g}",
        None if quick else share <= UPDATE,
        f"{took['cpu']:.0f} s of {whole['cpu']:.0f}; F1 of the new ones among all {f1:.3f}",
    )  # fmt: skip


def peers(folder: Path, some: Sequence[Report]) -> list[dict[str, Any]]:
    """HDBSCAN and BERTopic on the vectors that the run computed."""
    import pyarrow.parquet as pq

    gold, ours = [r.story for r in some], bcubed([r.story for r in some], found_in(folder))[2]
    rows = pq.read_table(folder / "documents.parquet", columns=["id", "unit"]).to_pylist()
    vectors = np.load(folder / "index" / "vectors.npy", allow_pickle=False)
    unit = {int(row["id"][1:]): row["unit"] for row in rows}
    same = np.asarray(vectors[[unit[n] for n in range(len(some))]], np.float32)
    made = [("HDBSCAN", _hdbscan(same))]
    if find_spec("bertopic"):
        made.append(("BERTopic", _bertopic(same, [report.text for report in some])))
    table = []
    for name, (labels, seconds) in made:
        alone = [f"outlier {n}" if x < 0 else x for n, x in enumerate(labels)]
        f1, outliers = bcubed(gold, alone)[2], float(np.mean(np.asarray(labels) < 0))
        table.append(
            measured(
                f"corpus: BCubed F1, to {name}",
                ours,
                f1,
                f"> {name}",
                ours > f1,
                f"{seconds:.0f} s of processor without encoding; {outliers:.0%} outliers, each a "
                "story of its own here",
            )
        )
    if len(made) == 1:
        table.append(measured("corpus: BCubed F1, to BERTopic", ours, note="not installed"))
    return table


def _hdbscan(vectors: np.ndarray[Any, Any]) -> tuple[list[int], float]:
    from sklearn.cluster import HDBSCAN

    started = time.process_time()
    labels = HDBSCAN(min_cluster_size=5, copy=True).fit_predict(vectors)
    return labels.tolist(), time.process_time() - started


def _bertopic(vectors: np.ndarray[Any, Any], texts: list[str]) -> tuple[list[int], float]:
    from bertopic import BERTopic

    started = time.process_time()
    labels, _ = BERTopic(min_topic_size=5).fit_transform(texts, embeddings=vectors)
    return [int(label) for label in labels], time.process_time() - started


def answer_of(folder: Path) -> dict[str, str]:
    """What is in a corpus folder, by its files, but for the times in the report."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("report.json", "index.html")
    }


def engines(folder: Path, size: int = 600) -> dict[str, Any]:
    """The same corpus by one native worker, two, and two of Ray."""
    folder.mkdir(parents=True)
    given, answers = write(folder / "given.jsonl", corpus("test", size)), []
    for name, options in (
        ("one", ("--engine", "native", "--workers", "1")),
        ("two", ("--engine", "native", "--workers", "2")),
        ("ray", ("--engine", "ray", "--workers", "2")),
        ("serial", ("--engine", "serial")),
    ):
        child = start(given, folder / name, *options)
        if child.wait():
            raise RuntimeError(f"the engine {name} failed")
        answers.append(answer_of(folder / name))
    equal = all(answer == answers[0] for answer in answers)
    note = f"{size} reports: one and two native workers, two of Ray, one process; byte for byte"
    return measured("corpus: equal on all engines", int(equal), None, "1", equal, note)


def kills(folder: Path, size: int = 600) -> dict[str, Any]:
    """kill -9 of the whole run at five moments, then left alone; compared with a run left alone.

    The moments are spread evenly over the shards that a run writes.
    """
    folder.mkdir(parents=True)
    given = write(folder / "given.jsonl", corpus("test", size))
    work, moments = folder / "killed.work", []
    shards = 2 * (-(-size // 100) + -(-size // 250) + 1)  # documents, ranges, at least one block
    for number in range(1, KILLS + 1):
        child = start(given, folder / "killed", "--workers", "2")
        while child.poll() is None and _done(work) < number * shards // (KILLS + 1):
            time.sleep(0.01)
        if child.poll() is None:
            done = {p.name: len(list(p.glob("[0-9]*.json"))) for p in sorted(work.glob("*/"))}
            moments.append(" ".join(f"{name} {count}" for name, count in done.items()))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for name in ("killed", "alone"):
        if start(given, folder / name, "--workers", "2").wait():
            raise RuntimeError(f"the run {name} failed")
    equal = answer_of(folder / "killed") == answer_of(folder / "alone") and len(moments) == KILLS
    note = f"{size} reports; killed with so many shards done: {'; '.join(moments)}"
    return measured(f"corpus: equal after {KILLS} kills", int(equal), None, "1", equal, note)


def _done(work: Path) -> int:
    return len(list(work.rglob("[0-9]*.json")))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("kills", "engines", "bertopic"))
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    if given.what == "bertopic":
        vectors, texts = given.files
        rows = [json.loads(line) for line in texts.read_text(encoding="utf-8").splitlines()]
        labels, seconds = _bertopic(
            np.load(vectors, allow_pickle=False).astype(np.float32), [row["text"] for row in rows]
        )
        print(json.dumps({"labels": labels, "seconds": seconds}))
        return
    with tempfile.TemporaryDirectory() as name:
        found = (kills if given.what == "kills" else engines)(Path(name) / given.what)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
