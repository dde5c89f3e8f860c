"""Building salads: how many a second, and the hardest of all pairs of a large corpus.

    python -m benchmarks salads_build

The hardest are searched in a process of its own, so that its peak memory is its own. The corpus is
made up: documents of eight sentences, and topics in groups as those of news are.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.shared import measured
from fabula.salads.build.mix import Source, build_salads
from fabula.types import Document

SALADS = 5_000  # a second
SECONDS, MEGABYTES = 60.0, 2048.0  # for 1,000 among 20,000 documents

# ru_maxrss of a child is at least that of the parent at the fork; VmHWM starts anew at exec.
_CHILD = """
import sys, time
from benchmarks.salads_build import sources
from fabula.salads.build.hardest import hardest_salads
some = sources(int(sys.argv[1]), topics=True)
started = time.monotonic()
salads = hardest_salads(some, among="all", base="random", n=1000)
seconds = time.monotonic() - started
assert len(salads) == 1000
peak = next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]
print(seconds, int(peak) / 1024)
"""


def sources(number: int, topics: bool = False, dimension: int = 384) -> list[Source]:
    """Documents of eight sentences of their own, in 200 groups by category and by topic."""
    rng = np.random.default_rng(0)
    middles = rng.normal(size=(200, dimension))
    vectors = middles[np.arange(number) % 200] + rng.normal(size=(number, dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors.astype(np.float32)
    return [
        Source(
            Document(f"d{place}", (), category=f"c{place % 200}"),
            tuple(f"Sentence {line} of document {place} says what happened." for line in range(8)),
            rows[place] if topics else None,
        )
        for place in range(number)
    ]


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [_speed(recipe, quick) for recipe in ("random", "same-category")]
    number = 5_000 if quick else 20_000
    line = [sys.executable, "-c", _CHILD, str(number)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    seconds, peak = map(float, done.stdout.split())
    note = f"1,000 of the {number * (number - 1) // 2:,} pairs of {number:,} documents, 384 numbers"
    rows.append(
        measured("hardest among all, s", seconds, None, f"<= {SECONDS:g}", seconds <= SECONDS, note)
    )
    rows.append(
        measured("hardest, peak MB", peak, None, f"<= {MEGABYTES:g}", peak <= MEGABYTES, note)
    )
    return rows


def _speed(recipe: str, quick: bool) -> dict[str, Any]:
    some = sources(4_000)
    wanted = 5_000 if quick else 20_000
    started = time.perf_counter()
    made = sum(1 for _ in build_salads(some, recipe=recipe, n=wanted))
    rate = made / (time.perf_counter() - started)
    bar = SALADS / 2 if quick else SALADS
    note = f"{made:,} salads of pre-split sources"
    return measured(f"build {recipe}, salads/s", rate, None, f">= {bar:g}", rate >= bar, note)
