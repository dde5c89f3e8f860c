"""How long a user waits before anything happens."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BARS = {"import fabula": 0.2, "fabula --help": 0.5}


def run(quick: bool) -> list[dict[str, Any]]:
    rounds = 3 if quick else 7
    bare = _best([sys.executable, "-c", "pass"], rounds)
    command = str(Path(sys.executable).parent / "fabula")
    times = {
        "import fabula": _best([sys.executable, "-c", "import fabula"], rounds) - bare,
        "fabula --help": _best([command, "--help"], rounds),
    }
    return [
        {
            "name": f"{name}, s",
            "ours": seconds,
            "peer": None,
            "ratio": None,
            "bar": f"< {BARS[name]}",
            "ok": seconds < BARS[name] * (2 if quick else 1),
            "note": f"best of {rounds}",
        }
        for name, seconds in times.items()
    ]


def _best(command: list[str], rounds: int) -> float:
    """The quickest of several: the others were disturbed."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return min(times)
