"""The long part of the attacks, and their bars as a table: ``python -m tests.attacks``.

Exit code 1 if a bar is missed. About 20 minutes on one core.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.attacks.crafted import write_crafted
from tests.attacks.fuzz import fuzz
from tests.attacks.pathological import texts
from tests.attacks.runner import Runner
from tests.attacks.tamper import STORES, silent_flips

FUZZ_SECONDS = 8 * 60
FLIPS = 600


def main(arguments: list[str]) -> int:
    quick = "--quick" in arguments
    rows: list[tuple[str, str, list[str]]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        flips = 30 if quick else FLIPS // len(STORES) + 1
        silent = [
            f"{store} {flip}"
            for store in STORES
            for flip in silent_flips(store, folder / "stores" / store, flips)
        ]
        rows.append(("byte flips, silent", f"{len(STORES) * flips} flips", silent))
        paths = write_crafted(folder / "crafted", 1 if quick else 100)
        with Runner(seconds=40) as runner:
            endings = list(runner.run("read", [(path.name, str(path)) for path in paths]))
        bad = [why for ending in endings if (why := ending.failed(seconds=30))]
        rows.append(("crafted files: traceback, 30 s, 1 GB", f"{len(paths)} files", bad))
        with Runner("fabula.assembly", seconds=70) as runner:
            given = list(texts(2_000 if quick else 100_000))
            endings = list(runner.run("assemble", given))
        bad = [why for ending in endings if (why := ending.failed(seconds=60, megabytes=4096))]
        rows.append(("pathological texts in assemble: 60 s", f"{len(given)} texts", bad))
        count, problems = fuzz(20 if quick else FUZZ_SECONDS)
        rows.append(
            ("fuzzed inputs", f"{count:,} inputs", [f"{n} x {k}" for k, n in problems.items()])
        )
    for bar, size, failures in rows:
        sys.stdout.write(f"{bar:<45} {size:<16} {len(failures)} failed\n")
        sys.stdout.writelines(f"    {failure}\n" for failure in failures[:40])
    return int(any(failures for _, _, failures in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
