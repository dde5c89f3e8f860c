"""Say which packages of constraints.txt have newer versions; needs the package registry."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    command = [sys.executable, "-m", "pip", "list", "--outdated", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        return 2
    pins = dict(
        line.strip().split("==") for line in (ROOT / "constraints.txt").open(encoding="utf-8")
        if "==" in line
    )  # fmt: skip
    known = {_plain(name): version for name, version in pins.items()}
    rows = [row for row in json.loads(done.stdout) if _plain(row["name"]) in known]
    for row in sorted(rows, key=lambda row: _plain(row["name"])):
        pinned = known[_plain(row["name"])]
        sys.stdout.write(f"{row['name']:<30} {pinned:<16} -> {row['latest_version']}\n")
    sys.stdout.write(f"{len(rows)} of {len(pins)} pinned packages have a newer version\n")
    return 0


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
