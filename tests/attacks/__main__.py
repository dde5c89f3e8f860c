"""The long part of the attacks, and their bars as a table: ``python -m tests.attacks [PART...]``.

Exit code 1 if a bar is missed. About 20 minutes on one free core; ``--quick`` takes one. A part is
named by its first word: flips, faults, growth, crafted, texts, fuzzed.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.attacks.crafted import write_crafted
from tests.attacks.faults import FAULTS, growth
from tests.attacks.fuzz import fuzz_apart
from tests.attacks.pathological import texts
from tests.attacks.runner import Ending, Runner
from tests.attacks.tamper import STORES, silent_flips

FUZZ_SECONDS = 8 * 60
FLIPS = 600
GROWTH = 10  # megabytes over the second half of the jobs


class Result(NamedTuple):
    """What was attacked, how much of it, which attacks succeeded, and the worst that was seen."""

    bar: str
    size: str
    failures: list[str]
    worst: str = ""


def flips(folder: Path, quick: bool) -> Result:
    times = 30 if quick else FLIPS // len(STORES) + 1
    silent = [
        f"{store} {flip}" for store in STORES for flip in silent_flips(store, folder / store, times)
    ]
    return Result("byte flips, silent", f"{len(STORES) * times} flips", silent)


def faults(folder: Path, quick: bool) -> Result:
    problems = [
        f"{name}: {problem}"
        for name, fault in FAULTS.items()
        for problem in fault(folder / name.replace(" ", "-"), 2 if quick else 5)
    ]
    return Result("faults of the server: stuck, lost", f"{len(FAULTS)} kinds", problems)


def grown(folder: Path, quick: bool) -> Result:
    jobs = 10 if quick else 200
    size = growth(folder / "state", jobs)
    large = [f"{size:.1f} MB"] if size > GROWTH and not quick else []
    return Result(f"growth of memory over {GROWTH} MB", f"{jobs} jobs", large, f"{size:.1f} MB")


def crafted(folder: Path, quick: bool) -> Result:
    paths = write_crafted(folder / "files", 1 if quick else 100)
    with Runner(seconds=40) as runner:
        endings = list(runner.run("read", [(path.name, str(path)) for path in paths]))
    bad = [why for ending in endings if (why := ending.failed(seconds=30))]
    return Result(
        "crafted files: traceback, 30 s, 1 GB", f"{len(paths)} files", bad, _worst(endings)
    )


def pathological(folder: Path, quick: bool) -> Result:
    given = list(texts(2_000 if quick else 100_000))
    with Runner("fabula.assembly", seconds=70) as runner:
        endings = list(runner.run("assemble", given))
    bad = [why for ending in endings if (why := ending.failed(seconds=60, megabytes=4096))]
    return Result(
        "texts of one character in assemble: 60 s", f"{len(given)} texts", bad, _worst(endings)
    )


def fuzzed(folder: Path, quick: bool) -> Result:
    count, problems, megabytes = fuzz_apart(20 if quick else FUZZ_SECONDS)
    bad = [f"{number} x {kind}" for kind, number in problems.items()]
    return Result(
        "fuzzed inputs: traceback, 30 s, 1 GB", f"{count:,} inputs", bad, f"{megabytes} MB"
    )


def _worst(endings: list[Ending]) -> str:
    slow = max(endings, key=lambda ending: ending.seconds)
    large = max(endings, key=lambda ending: ending.megabytes)
    return f"{slow.seconds:.1f} s {slow.name}, {large.megabytes:.0f} MB {large.name}"


PARTS: dict[str, Callable[[Path, bool], Result]] = {
    "flips": flips,
    "faults": faults,
    "growth": grown,
    "crafted": crafted,
    "texts": pathological,
    "fuzzed": fuzzed,
}


def main(arguments: list[str]) -> int:
    quick = "--quick" in arguments
    named = [name for name in arguments if name in PARTS] or list(PARTS)
    logging.disable(logging.WARNING)  # what is damaged and made again, thousands of times
    failed, began = False, time.monotonic()
    for name in named:
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            result = PARTS[name](Path(folder), quick)
            seconds = time.monotonic() - started
        sys.stdout.write(
            f"{result.bar:<42} {result.size:<15} {len(result.failures)} failed  {seconds:5.0f} s"
            f"  {result.worst}\n"
        )
        sys.stdout.writelines(f"    {failure}\n" for failure in result.failures[:40])
        sys.stdout.flush()
        failed = failed or bool(result.failures)
    sys.stdout.write(f"{(time.monotonic() - began) / 60:.1f} minutes\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
