"""Write the checksums of the shipped weights: ``python tools/checksums.py``, after weights changed.

Models that are saved by fabula write theirs themselves; a counts store has its own manifest.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fabula.core.model_store import write_checksums

WEIGHTS = Path(__file__).parents[1] / "src" / "fabula" / "data" / "weights"
DATA = (".json", ".safetensors")


def main() -> int:
    for folder in sorted(WEIGHTS.iterdir()):
        names = [path.name for path in folder.iterdir() if path.suffix in DATA]
        names = [name for name in names if name != "checksums.json"]
        if "counts.json" not in names:
            write_checksums(folder, names)
            sys.stdout.write(f"{folder.name}: {len(names)} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
