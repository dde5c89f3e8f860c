"""Memory and speed of the readers on large files: peak memory stays below a bar at any size.

    python -m benchmarks.readers [--full]

Each file is streamed in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.shared import measured

BAR_MB = 300
_TEXT = "the river rose over night and the town moved its people to the school on the hill"
_WORDS = _TEXT.split()

# ru_maxrss of a child is at least that of the parent at the fork; VmHWM starts anew at exec.
_CHILD = """
import sys, time
from fabula.text.io.documents import read_documents
started = time.monotonic()
documents = sum(1 for _ in read_documents(sys.argv[1]))
seconds = time.monotonic() - started
peak = next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]
print(documents, seconds, int(peak) / 1024)
"""

_PEER = """
import sys, time
import mwparserfromhell
from fabula.text.io.readers.wiki import _pages
started = time.monotonic()
for page in _pages(sys.argv[1]):
    mwparserfromhell.parse(page.fields["text"]).strip_code()
print(time.monotonic() - started)
"""


def _prose(seed: int, sentences: int) -> str:
    """Text that differs from document to document, made without randomness."""
    size = len(_WORDS)
    return " ".join(
        " ".join(_WORDS[(seed * 7 + s * 3 + w * (1 + seed % 5)) % size] for w in range(12)) + "."
        for s in range(sentences)
    )


def _jsonl() -> Iterator[str]:
    for number in range(sys.maxsize):
        paragraphs = [_prose(number + part, 5) for part in range(8)]
        row = {"id": f"d{number}", "date": "1994-07-01", "category": "flood"}
        yield json.dumps(row | {"title": "Flood", "paragraphs": paragraphs}) + "\n"


def _page(number: int) -> str:
    body = "".join(
        f"== Part {part} ==\n'''{_prose(number + part, 2)}''' [[River|rivers]] and [[town]]s "
        f"&lt;ref name=r{part}&gt;{{{{cite web|url=http://a.b/{part}|title=T}}}}&lt;/ref&gt; "
        f"{_prose(number * part, 6)} {{{{convert|5|km}}}} [http://a.b c].\n\n"
        f"* one [[item]]\n* two\n{{| class=wikitable\n|-\n| a || b {{{{c|d}}}}\n|}}\n\n"
        for part in range(6)
    )
    head = "{{Infobox town | name = A | population = {{formatnum:1000}} | x = [[b]] }}\n" * 3
    return (
        f"  <page>\n    <title>Town {number}</title>\n    <ns>0</ns>\n    <id>{number}</id>\n"
        "    <revision>\n      <id>1</id>\n      <timestamp>2016-01-01T00:00:00Z</timestamp>\n"
        f'      <text xml:space="preserve">{head}{body}[[File:A.jpg|thumb|a [[b]] c]]\n'
        "[[Category:Towns]]</text>\n    </revision>\n  </page>\n"
    )


def _dump() -> Iterator[str]:
    yield "<mediawiki>\n"
    for number in range(1, sys.maxsize):
        yield _page(number)


def _write(path: Path, pieces: Iterator[str], megabytes: int, end: str = "") -> float:
    """Writes the first 10 MB of the pieces over and over: making it all would take longer."""
    with path.open("w", encoding="utf-8") as stream:
        block, size = list[str](), 0
        stream.write(next(pieces) if end else "")
        while size < min(megabytes, 10) << 20:
            block.append(next(pieces))
            size += len(block[-1])
        while stream.tell() < megabytes << 20:
            stream.write("".join(block))
        stream.write(end)
    return path.stat().st_size / (1 << 20)


def _run(code: str, path: Path) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    return [float(word) for word in done.stdout.split()]


def _measure(name: str, path: Path, megabytes: float) -> list[dict[str, Any]]:
    documents, seconds, peak = _run(_CHILD, path)
    speed = megabytes / seconds
    note = f"{megabytes:.0f} MB, {documents:.0f} documents, {seconds:.1f} s, {speed:.1f} MB/s"
    return [measured(f"{name} peak MB", round(peak, 1), None, BAR_MB, peak < BAR_MB, note)]


def run(quick: bool) -> list[dict[str, Any]]:
    """Peak memory of JSONL and MediaWiki files, and wiki speed against mwparserfromhell alone."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "big.jsonl")
        size = _write(path, _jsonl(), 50 if quick else 1024)
        rows += _measure("jsonl", path, size)
        path.unlink()
        path = Path(folder, "dump.xml")
        size = _write(path, _dump(), 10 if quick else 200, "</mediawiki>\n")
        rows += _measure("mediawiki", path, size)
        size = _write(path, _dump(), 5, "</mediawiki>\n")
        ours, peer = size / _run(_CHILD, path)[1], size / _run(_PEER, path)[0]
        note = "MB/s of wikitext; peer: mwparserfromhell strip_code on whole pages"
        rows.append(
            measured("mediawiki MB/s", round(ours, 2), round(peer, 2), 1.0, ours >= peer, note)
        )
    return rows


if __name__ == "__main__":
    for row in run(quick="--full" not in sys.argv):
        print(json.dumps(row))
