"""What is installed is what was tested: pinned versions, checksums, and no package that runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# torch and the libraries of its GPU builds; the rest are peers of "make bench".
NOT_LOCKED = re.compile(r"torch|triton|nvidia-.*|cuda-.*")
_ENTRY = re.compile(r"([A-Za-z0-9_.-]+)==([^\s;\\]+)")


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [match for line in lines if (match := _ENTRY.match(line))]
    return {re.sub(r"[-_.]+", "-", match[1]).lower(): match[2] for match in found}


def test_the_lock_file_is_that_of_the_constraints() -> None:
    constraints, lock = pins("constraints.txt"), pins("requirements.lock")
    differing = {name for name in lock.keys() & constraints if lock[name] != constraints[name]}
    assert differing == set(), "run: make lock"
    declared = re.findall(
        r'^\s+"([A-Za-z0-9_.-]+)[>=<]', (ROOT / "pyproject.toml").read_text(), re.M
    )
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in declared}
    assert {name for name in names if name not in lock and not NOT_LOCKED.fullmatch(name)} == set()


def test_every_locked_package_has_a_checksum() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.split("\n", 2)[2])
    assert len(entries) == len(pins("requirements.lock")) > 100
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)


def test_make_installs_by_checksum() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--no-deps --require-hashes -r requirements.lock" in lines
