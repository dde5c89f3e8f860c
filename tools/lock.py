"""Write requirements.lock: the packages of constraints.txt with the SHA-256 of all their files.

Needs uv (``pip install uv``) and the package registry. torch is left out with the libraries of its
GPU builds: machines differ in the build they take, so it is pinned by its version alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
# Building fabula itself in place, without an isolated environment that would fetch these unchecked.
BUILD = ["hatchling==1.28.0", "editables"]
_LEFT_OUT = re.compile(r"(?:torch|triton|nvidia-.*|cuda-.*)==")
_HEAD = """\
# Made by "make lock" from pyproject.toml (extra dev) and constraints.txt; do not edit.
# Used by the Makefile: pip install --no-deps --require-hashes -r requirements.lock
"""


def main() -> int:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if uv is None:
        sys.stderr.write("tools/lock.py needs uv: pip install uv\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        build, out = Path(folder, "build.in"), Path(folder, "lock")
        build.write_text("\n".join(BUILD) + "\n", encoding="utf-8")
        command = [
            uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
            "--generate-hashes", "--no-header", "--no-annotate", "--extra", "dev",
            "-c", "constraints.txt", "-o", str(out), "pyproject.toml", str(build),
        ]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
        entries = re.split(r"\n(?=\S)", out.read_text(encoding="utf-8").strip())
    kept = [entry for entry in entries if not _LEFT_OUT.match(entry)]
    LOCK.write_text(_HEAD + "\n".join(kept) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(kept)} packages in {LOCK.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
