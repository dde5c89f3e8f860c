"""``python -m benchmarks [--quick] [NAME ...]``: one table of ours, the peer's, the ratio, the bar.

Exit code 1 when a bar is missed. ``--quick`` takes minutes on small inputs and is for a broken
build, not for a noisy neighbour: it shows every bar, and fails only when a ratio stays worse than
half of the one in ``recorded.json``, three times in a row.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

Row = dict[str, Any]
KEYS = ("name", "ours", "peer", "ratio", "bar", "ok", "note")
RECORDED = Path(__file__).with_name("recorded.json")
ATTEMPTS = 3
NAMES = (
    "startup",
    "encoder",
    "event_models",
    "readers",
    "salads_build",
    "salads_models",
    "splitter",
    "untangling",
    "ordering",
    "ordering_models",
    "event_extraction",
    "assembly",
    "contradictions",
    "page",
    "endings_lm",
    "endings_models",
    "audit",
    "scale",
    "peers",
    "growth",
)


def main(arguments: list[str]) -> int:
    from rich.console import Console

    from benchmarks.peers import versions
    from fabula.cli.outputs import make_table

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="minutes, on small inputs")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}")
    asked = parser.parse_args(arguments)
    quick, names = asked.quick, asked.names or list(NAMES)
    if unknown := sorted({*names} - {*NAMES}):
        parser.error(f"there is no benchmark {unknown[0]!r}")
    rows: list[Row] = []
    missed: list[str] = []
    for name in names:
        started = time.monotonic()
        new, bad = run_quickly(name) if quick else run_fully(name)
        rows += new
        missed += bad
        sys.stderr.write(f"{name}: {time.monotonic() - started:.0f} s\n")
    table = make_table(KEYS, [[_show(row.get(key)) for key in KEYS] for row in rows])
    Console(width=120).print(table)
    peers = [f"{name} {number or 'not installed'}" for name, number in versions().items()]
    Console(width=120).print(f"peers: {', '.join(peers)}")
    Path("runs").mkdir(exist_ok=True)
    Path("runs/bench.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for line in missed:
        sys.stderr.write(f"missed: {line}\n")
    return 1 if missed else 0


def run_fully(name: str) -> tuple[list[Row], list[str]]:
    """The rows of one benchmark, and those whose bar is missed."""
    rows = importlib.import_module(f"benchmarks.{name}").run(False)
    return rows, [f"{row['name']}: {row.get('ours')}" for row in rows if row["ok"] is False]


def run_quickly(name: str) -> tuple[list[Row], list[str]]:
    """The rows of one small benchmark, and the ratios that were too low at every attempt."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    for _ in range(ATTEMPTS):
        rows = importlib.import_module(f"benchmarks.{name}").run(True)
        missed = [line for row in rows if (line := fallen(row, recorded))]
        if not missed:
            break
    return rows, missed


def fallen(row: Row, recorded: dict[str, float]) -> str:
    """What to say of a ratio worse than half the recorded one; nothing of any other row."""
    before, now = recorded.get(row["name"]), row.get("ratio")
    if before is None or now is None or now >= before / 2:
        return ""
    return f"{row['name']}: ratio {now:.3g}, recorded {before:g}"


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.3g}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
