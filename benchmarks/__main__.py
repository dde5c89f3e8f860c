"""``python -m benchmarks [--quick] [NAME ...]``: one table of ours, the peer's, the ratio, the bar.

Exit code 1 when a bar is missed. ``--quick`` takes minutes on small inputs and lets a speed ratio
fall to half its bar: it catches a broken build, not a noisy neighbour.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

NAMES = (
    "startup",
    "encoder",
    "event_models",
    "readers",
    "salads_build",
    "splitter",
    "untangling",
    "ordering",
    "ordering_models",
    "event_extraction",
    "assembly",
    "endings_lm",
    "endings_models",
    "audit",
)


def main(arguments: list[str]) -> int:
    from rich.console import Console

    from fabula.cli.outputs import make_table

    quick = "--quick" in arguments
    names = [a for a in arguments if not a.startswith("-")] or list(NAMES)
    rows: list[dict[str, Any]] = []
    for name in names:
        started = time.monotonic()
        rows += importlib.import_module(f"benchmarks.{name}").run(quick)
        sys.stderr.write(f"{name}: {time.monotonic() - started:.0f} s\n")
    keys = ("name", "ours", "peer", "ratio", "bar", "ok", "note")
    table = make_table(keys, [[_show(row.get(key)) for key in keys] for row in rows])
    Console(width=120).print(table)
    Path("runs").mkdir(exist_ok=True)
    Path("runs/bench.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["ok"] is not False for row in rows) else 1


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.3g}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
