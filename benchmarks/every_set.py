"""``evaluate``, ``audit`` and ``reproduce`` on every multiple-choice set at hand: no traceback.

A set that a command refuses (two equal options, say) must be refused in one line with exit code 2;
a table that cannot be made of a set (one with four options, say) says why, with exit code 1.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.shared import DATA, measured

ENDED = {"reproduce": (0, 1, 2)}  # done, tables left out with their reasons, or refused
PACKAGED = ("sample-endings",)


def commands(quick: bool) -> Iterator[list[str]]:
    """The command lines; an audit of a sample, which is enough to meet every probe.

    A quick run takes one set and the packaged one.
    """
    story_cloze = DATA / "story_cloze" / "val.csv"
    sets = [*sorted(DATA.glob("real/mc_*")), story_cloze][: 1 if quick else None]
    for data in [*(str(path) for path in sets if path.exists()), *PACKAGED]:
        yield ["evaluate", "endings", data, "-m", "constant", "-m", "last-sentiment"]
        yield ["audit", data, "--limit", "100" if quick else "1000", "--parsed", "100"]
        roles = {"ending-biases": ("val", "test", "new"), "cloze-evaluator": ("test",)}
        for paper, names in roles.items():
            given = [f"--corpus={role}={data}" for role in names]
            yield ["reproduce", paper, "--quick", *given]
    for paper in () if quick else ("event-cloze", "story-salads", "text-ordering"):
        yield ["reproduce", paper, "--quick"]


def run(quick: bool) -> list[dict[str, Any]]:
    failed, count = [], 0
    for line in commands(quick):
        code = "from fabula.cli import main; main()"
        called = [sys.executable, "-c", code, *line, "-q"]
        done = subprocess.run(called, capture_output=True, text=True, check=False)
        count += 1
        ended = done.returncode in ENDED.get(line[0], (0, 2))
        if not ended or "Traceback" in done.stderr + done.stdout:
            failed.append(" ".join(line[:3]))
        elif done.returncode and not done.stderr.strip() + done.stdout.strip():
            failed.append(" ".join(line[:3]) + " (no reason given)")
    return [
        measured("commands on every set: tracebacks", len(failed), bar=0, ok=not failed,
                 note=f"{count} commands; {', '.join(failed)}".rstrip("; ")),
    ]  # fmt: skip
