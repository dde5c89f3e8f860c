"""Bad corpora, each assembled by a run of its own: what is answered, in what time and memory.

    python -m benchmarks.corpus_bad_input

100,000 identical documents; one document of 50 MB; all dates missing, all dates equal.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import MEGABYTES, assemble
from benchmarks.corpus_data import corpus
from fabula.assembly.corpus.store import read_report, read_stories

COPIES, CHARACTERS, REPORTS = 100_000, 50_000_000, 300
_PARAGRAPH = 100_000  # words
_REPORT = (
    "The ferry Astrid ran aground off Harwich on Monday with 212 passengers aboard, and lifeboats "
    "took them off before dawn. Captain Ole Lindqvist said she lost power near Landguard Fort."
)


def given(folder: Path) -> Iterator[tuple[str, Path]]:
    """The name of each bad corpus and its file, written when asked for."""
    reports = [report.text for report in corpus("dev", REPORTS)]
    yield "identical documents", _table(folder / "same.jsonl", [{"text": _REPORT}] * COPIES)
    words, rng, long = " ".join(reports).split(), random.Random(0), folder / "long.txt"
    with long.open("w", encoding="utf-8") as file:
        while file.tell() < CHARACTERS:
            file.write(" ".join(rng.choices(words, k=_PARAGRAPH)) + "\n\n")
    yield "one document of 50 MB", long
    undated = [{"text": text} for text in reports]
    yield "all dates missing", _table(folder / "missing.jsonl", undated)
    dated = [{**row, "date": "2024-05-03"} for row in undated]
    yield "all dates equal", _table(folder / "equal.jsonl", dated)


def _table(path: Path, rows: list[dict[str, str]]) -> Path:
    lines = (json.dumps({"id": f"r{number}", **row}) for number, row in enumerate(rows))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        for what, path in given(Path(name)):
            took = assemble(path, target := path.with_suffix(""))
            report, stories = read_report(target), read_stories(target)
            row = {
                "corpus": what, "stories": len(stories), "distinct": report["distinct"],
                "copies": report["copies"], "skipped": report["skipped"],
                "processor seconds": round(took["cpu"]), "seconds": round(took["wall"]),
                "MB": round(took["mb"]), "ok": took["mb"] <= MEGABYTES,
            }  # fmt: skip
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
