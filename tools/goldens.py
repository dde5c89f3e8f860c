"""Freeze what fabula answers, and compare later answers with it: for moves that change nothing.

``python tools/goldens.py FOLDER`` runs every case below through the command line, in one process,
and writes one JSON file a case into FOLDER. With ``--against OTHER`` it compares with the files
of an earlier run and names the cases that differ. Cases whose data is absent are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src/fabula/data/sample"
WRITTEN = ROOT / "benchmarks/written"
REAL = ROOT.parent / "shared/data/real"

# Trained on a handful of items: enough that another sum of weights gives another answer.
TRAINED = {
    "salads/bilstm": ("salads", "epochs=1"),
    "salads/bilstm-ctx": ("salads", "epochs=1"),
    "salads/bilstm-mt": ("salads", "epochs=1"),
    "salads/bilstm-mt-ctx": ("salads", "epochs=1"),
    "salads/ffnn-bilstm": ("event-salads", "epochs=1"),
    "salads/ffnn-bilstm-mt-ctx": ("event-salads", "epochs=1"),
    "salads/ffnn-bilstm-mt-ctx-pretrain": ("event-salads", "epochs=1"),
    "salads/reader": ("salads", "epochs=1"),
    "salads/context": ("salads", "epochs=1"),
    "ordering/linear": ("ordering",),
    "ordering/lstm-ptr": ("ordering", "epochs=2"),
    "ordering/vlstm-ptr": ("ordering", "epochs=2"),
    "ordering/attorder": ("ordering", "epochs=2"),
    "ordering/se-graph": ("ordering", "epochs=2"),
    "ordering/pairwise": ("ordering", "epochs=1"),
    "events/bigram": ("chains",),
    "events/instance-bigram": ("chains",),
    "events/instance-unigram": ("chains",),
    "events/learned": ("chains",),
    "events/multi-bigram": ("chains",),
    "events/multi-pmi": ("chains",),
    "events/multi-unigram": ("chains",),
    "events/ordered-pmi": ("chains",),
    "events/pmi": ("chains",),
    "events/unigram": ("chains",),
    "endings/cogcomp": ("endings",),
    "endings/dssm": ("endings", "epochs=2"),
    "endings/endingreg": ("endings",),
    "endings/fine-tuned": ("endings",),
}
UNTRAINED = {
    "salads": ["unif", "kmedoids", "kmeans", "hac", "spectral", "centred", "context", "reader"],
    "ordering": ["random", "linear", "pairwise", "pairwise:chances", "pairwise:walk"],
    "events": ["bigram"],
    "endings": [
        "constant", "average-sentiment", "last-sentiment", "joint", "trajectory", "lm",
        "joint:tfidf",
    ],
}  # fmt: skip
TESTS = {"salads": "salads", "ordering": "ordering", "events": "tests", "endings": "endings"}


def piles() -> Iterator[Path]:
    yield SAMPLE / "tangled.txt"
    for folder in ("piles", "reports", "reports/dev", "night"):
        yield from sorted((WRITTEN / folder).glob("*.txt"))


def real_piles(work: Path) -> Iterator[Path]:
    """Three reports each on two like events, topic by topic, as a folder of text files."""
    import lzma

    source = REAL / "ecb_docs.jsonl.xz"
    if not source.is_file():
        return
    topics: dict[str, dict[str, list[list[str]]]] = {}
    with lzma.open(source, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        topics.setdefault(str(row["topic"]), {}).setdefault(str(row["event"]), []).append(
            row["sentences"]
        )
    for topic in sorted(topics)[:4]:
        folder = work / f"news-{topic}"
        folder.mkdir()
        for event, reports in sorted(topics[topic].items()):
            for number, sentences in enumerate(reports[:3]):
                (folder / f"{event}-{number}.txt").write_text(" ".join(sentences), "utf-8")
        yield folder


def cases(work: Path, quick: bool) -> Iterator[tuple[str, list[str]]]:
    """The name of every case and its command line; files go below ``work``."""
    some = list(piles())[:3] if quick else [*piles(), *real_piles(work)]
    for pile in some:
        name = pile.stem if pile.parent.name != "dev" else f"dev-{pile.stem}"
        name = f"{pile.parent.name}-{name}"
        yield f"assemble {name}", ["assemble", str(pile), "--json"]
        yield f"untangle {name}", ["untangle", str(pile), "--json", "--why"]
        yield f"events {name}", ["events", str(pile), "--json"]
    tangled = str(SAMPLE / "tangled.txt")
    yield "assemble known number", ["assemble", tangled, "--stories", "3", "--json"]
    yield "assemble html", ["assemble", tangled, "-o", str(work / "a.html"), "--json"]
    yield "assemble md", ["assemble", tangled, "-o", str(work / "a.md"), "--json"]
    yield "assemble query", ["assemble", tangled, "--query", "ferry", "--json"]
    yield "order tangled", ["order", tangled, "--level", "line", "--json"]
    stories = work / "stories.jsonl"
    yield "build stories", ["build", "ordering", str(SAMPLE / "stories.jsonl"), "-o", str(stories)]
    yield "order stories", ["order", str(stories), "--json"]
    yield "audit sample", ["audit", str(SAMPLE / "endings.jsonl"), "--json"]
    for path in sorted(REAL.glob("mc_*.jsonl.xz"))[: 1 if quick else 3]:
        yield f"audit {path.name}", ["audit", str(path), "--json"]
    built = {
        "salads": ["build", "salads", "sample", "--n", "24"],
        "event-salads": ["build", "salads", "sample", "--n", "12", "--form", "events"],
        "ordering": ["build", "ordering", "sample", "--n", "40"],
        "chains": ["build", "chains", "sample"],
        "tests": ["build", "event-tests", "sample", "--n", "60"],
    }
    files = {kind: work / f"{kind}.jsonl" for kind in built}
    files["endings"] = SAMPLE / "endings.jsonl"
    for kind, arguments in built.items():
        yield f"build {kind}", [*arguments, "-o", str(files[kind])]
    for task, names in UNTRAINED.items():
        for name in names:
            items = str(files[TESTS[task]])
            yield (
                f"evaluate {task} {name}",
                ["evaluate", task, items, "-m", name, "-o", str(work / "runs"), "--json"],
            )
    if quick:
        return
    for model, (kind, *settings) in TRAINED.items():
        task = model.partition("/")[0]
        folder = work / "models" / model.replace("/", "-")
        options = [word for setting in settings for word in ("--set", setting)]
        yield f"train {model}", ["train", model, str(files[kind]), "-o", str(folder), *options]
        items = str(files["event-salads" if kind == "event-salads" else TESTS[task]])
        yield (
            f"evaluate trained {model}",
            [
                *["evaluate", task, items, "-m", str(folder), "-o", str(work / "trained")],
                *["--json", "--force"],
            ],
        )


def answer(arguments: list[str], work: Path) -> Any:
    """What the command printed, without what differs from run to run, and what it wrote."""
    from typer.testing import CliRunner

    from fabula.cli import app

    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    text = result.stdout.replace(str(work), "WORK")
    try:
        data = json.loads(text)
    except ValueError:
        data = None if arguments[0] == "train" else text
    found: dict[str, Any] = {"exit": result.exit_code, "answer": _steady(data)}
    if result.exit_code:
        found["said"] = result.output.replace(str(work), "WORK")
    if "-o" in arguments and arguments[0] != "train":
        path = Path(arguments[arguments.index("-o") + 1])
        if path.is_file():
            found["file"] = path.read_text(encoding="utf-8").replace(str(work), "WORK")
    if isinstance(data, dict) and arguments[0] == "evaluate" and data.get("results"):
        from pyarrow import parquet

        run = Path(json.loads(result.stdout)["results"][0]["run"])
        found["answers"] = parquet.read_table(run / "items.parquet")["answer"].to_pylist()
    return found


def _steady(value: Any) -> Any:
    """Without seconds, run folders and the like."""
    if isinstance(value, dict):
        left_out = {"seconds", "run", "run_id", "created", "folder", "parameters"}
        return {k: _steady(v) for k, v in value.items() if k not in left_out}
    if isinstance(value, list):
        return [_steady(v) for v in value]
    return value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    different = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["FABULA_CACHE"] = str(Path(scratch) / "cache")
        work = Path(scratch) / "work"
        work.mkdir()
        for name, arguments in cases(work, options.quick):
            if options.only and options.only not in name and arguments[0] != "build":
                continue
            started = time.monotonic()
            found = json.dumps(answer(arguments, work), indent=1, ensure_ascii=False)
            file = f"{name.replace('/', '-').replace(':', '-').replace(' ', '_')}.json"
            (options.folder / file).write_text(found + "\n", encoding="utf-8")
            verdict = ""
            if options.against:
                before = options.against / file
                same = before.is_file() and before.read_text(encoding="utf-8") == found + "\n"
                different += not same
                verdict = "same" if same else "DIFFERENT"
            sys.stdout.write(f"{time.monotonic() - started:6.1f} s  {verdict:9} {name}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{different} different\n" if options.against else "")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
