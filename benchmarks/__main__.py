"""``python -m benchmarks [--quick] [NAME ...]``: one table of ours, the peer's, the ratio, the bar.

Exit code 1 when a bar is missed. ``--quick`` takes minutes on small inputs and is for a broken
build, not for a noisy neighbour: it shows every bar, and fails only when a ratio stays worse than
half of the one in ``recorded.json``, three times in a row. The last full run of each is kept in
``runs/bench.json``; ``--page FILE`` makes one table of it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from fabula.core.files import write_text

Row = dict[str, Any]
KEYS = ("name", "ours", "peer", "ratio", "bar", "ok", "note")
RECORDED = Path(__file__).with_name("recorded.json")
KEPT = Path("runs/bench.json")
ATTEMPTS = 3
PAGE = """# Benchmarks

What `make bench` printed: ours, the peer and their ratio come from the same run on two cores
without a GPU; `ok` says whether the bar was met. Rows of quality are measured on data that the
models were not trained on.
"""
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
    "times",
    "timelines",
    "event_extraction",
    "who_did_what",
    "assembly",
    "conversations",
    "documents",
    "contradictions",
    "news_contradictions",
    "pairs",
    "page",
    "endings_lm",
    "endings_models",
    "audit",
    "audit_sets",
    "every_set",
    "scale",
    "corpus",
    "peers",
    "growth",
)


def main(arguments: list[str]) -> int:
    from rich.console import Console

    from benchmarks.peers import versions
    from fabula.cli.outputs import make_table

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="minutes, on small inputs")
    parser.add_argument("--page", type=Path, help="write what is kept as this page; run nothing")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}")
    asked = parser.parse_args(arguments)
    quick, names = asked.quick, asked.names or list(NAMES)
    if unknown := sorted({*names} - {*NAMES}):
        parser.error(f"there is no benchmark {unknown[0]!r}")
    if asked.page:
        asked.page.write_text(page(kept()), encoding="utf-8")
        return 0
    rows: list[Row] = []
    missed: list[str] = []
    for name in names:
        started = time.monotonic()
        new, bad = run_quickly(name) if quick else run_fully(name)
        rows += new
        missed += bad
        seconds = round(time.monotonic() - started)
        sys.stderr.write(f"{name}: {seconds} s\n")
        if not quick:
            keep(name, {"date": date.today().isoformat(), "seconds": seconds, "rows": new})
    table = make_table(KEYS, [[_show(row.get(key)) for key in KEYS] for row in rows])
    Console(width=120).print(table)
    peers = [f"{name} {number or 'not installed'}" for name, number in versions().items()]
    Console(width=120).print(f"peers: {', '.join(peers)}")
    for line in missed:
        sys.stderr.write(f"missed: {line}\n")
    return 1 if missed else 0


def kept() -> dict[str, dict[str, Any]]:
    """What the last full run of each benchmark found."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8"))) if KEPT.is_file() else {}


def keep(name: str, found: dict[str, Any]) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    write_text(KEPT, json.dumps({**kept(), name: found}, indent=1) + "\n")


def page(found: dict[str, dict[str, Any]]) -> str:
    """The one table, as Markdown, with the day and the peers' versions."""
    from benchmarks.peers import versions

    lines = [PAGE, "| " + " | ".join(KEYS) + " |", "|" + "---|" * len(KEYS)]
    for name in (name for name in NAMES if name in found):
        when = f"*{name}*, {found[name]['date']}, {found[name]['seconds']} s"
        lines.append(f"| {when} |" + " |" * (len(KEYS) - 1))
        for row in found[name]["rows"]:
            cells = (_show(row.get(key)).replace("|", "\\|") for key in KEYS)
            lines.append("| " + " | ".join(cells) + " |")
    peers = ", ".join(f"{name} {number}" for name, number in versions().items() if number)
    return "\n".join([*lines, "", f"Peers: {peers}.", ""])


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
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return "" if value is None else str(value)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
