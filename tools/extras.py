"""Install fabula with each of its extras in a clean environment: does it work, and how large is it?

    python tools/extras.py [--extras office,web] [--torch torch==2.13.0]

Builds the wheel, makes an environment for the base and for each extra (below $TMPDIR: some
gigabytes, one at a time), installs as a user would, checks with ``pip check``, runs a line of each
extra's own use, and prints the sizes (without bytecode, which Python adds). ``--torch`` is
installed first where an extra needs torch: an index may offer a smaller build of it than the one
with CUDA. Exit code 1 if anything failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What an extra is for, in a line that fails without it.
USES = {
    "": "import importlib.util as u; assert not u.find_spec('torch'); "
    "import fabula.ordering as o; o.order(['b', 'a'], model='random')",
    "lm": "import torch, transformers, gguf; import fabula.text.lm",
    "train": "import fabula.ordering; fabula.train('ordering/lstm-ptr', "
    "fabula.ordering.TASK.examples() * 4, epochs=1)",
    "office": "from docx import Document; d = Document(); d.add_paragraph('It fell.'); "
    "d.save('a.docx'); import fabula; assert next(iter(fabula.read_documents('a.docx'))).text",
    "web": "import fabula.web.app, uvicorn",
    "mcp": "from fabula.integrations.mcp_server import create_server; create_server()",
    "scale": "import daft, ray, fsspec, fabula.scale",
    "bench": "import numpy, bertopic; from fabula.sklearn import StoryClusterer; "
    "bertopic.BERTopic(embedding_model=None, hdbscan_model=StoryClusterer())",
    "docs": "import sphinx, furo, myst_parser",
    "dev": "import pytest, hypothesis, torch, daft, docx, mcp, playwright",
}
NEEDS_TORCH = {"lm", "train", "bench", "dev"}


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def extras() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        return list(tomllib.load(stream)["project"]["optional-dependencies"])


def run(*command: str, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


def build(place: Path) -> Path:
    done = run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(place), str(ROOT),
        where=place,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr)
    (wheel,) = place.glob("fabula-*.whl")
    return wheel


def megabytes(folder: Path) -> float:
    return (
        sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink()) / 1e6
    )


def attempt(wheel: Path, extra: str, torch: str) -> tuple[str, float, int, float]:
    """What failed ("" for nothing), the size of all packages, their number, and the seconds."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fabula-extra-") as name:
        place = Path(name)
        venv.create(place / "v", with_pip=True)
        python = str(place / "v" / "bin" / "python")
        empty = megabytes(place / "v" / "lib")
        wanted = f"{wheel}[{extra}]" if extra else str(wheel)
        constraints = ["-c", str(ROOT / "constraints.txt")]
        steps = [[python, "-m", "pip", "install", "-q", "--no-compile", *constraints, wanted],
                 [python, "-m", "pip", "check"], [python, "-c", USES[extra]]]  # fmt: skip
        if extra in NEEDS_TORCH and torch:
            steps.insert(0, [python, "-m", "pip", "install", "-q", "--no-compile", torch])
        for step in steps:
            done = run(*step, where=place)
            if done.returncode:
                said = (done.stderr.strip() or done.stdout.strip()).splitlines()
                return f"{' '.join(step[1:4])}: {said[-1] if said else '?'}", 0.0, 0, 0.0
        count = len(list((place / "v" / "lib").rglob("*.dist-info")))
        return "", megabytes(place / "v" / "lib") - empty, count, time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extras", help="of these alone, with commas; base is the empty one")
    parser.add_argument("--torch", default="", help="what to install first where torch is needed")
    given = parser.parse_args()
    names = ["", *extras()] if given.extras is None else given.extras.replace("base", "").split(",")
    if unknown := [name for name in names if name not in USES]:
        raise SystemExit(f"no use is written down for {', '.join(unknown)}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="fabula-wheel-") as place:
        wheel = build(Path(place))
        say(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB\n")
        say("| install | MB | packages | seconds | |\n|---|---|---|---|---|")
        for extra in names:
            problem, size, count, seconds = attempt(wheel, extra, given.torch)
            failed += bool(problem)
            label = f"fabula[{extra}]" if extra else "fabula"
            say(f"| `{label}` | {size:,.0f} | {count} | {seconds:.0f} | {problem or 'works'} |")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
