"""The shipped weights are the bytes that were tested."""

from __future__ import annotations

from pathlib import Path

import pytest

import fabula
from fabula.core.model_store import CHECKSUMS, verify
from fabula.core.safety.checked_json import parse_checked
from fabula.errors import DamagedFile

WEIGHTS = Path(fabula.__file__).parent / "data" / "weights"
FOLDERS = [path for path in sorted(WEIGHTS.iterdir()) if not (path / "counts.json").exists()]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_file_is_listed_and_right(folder: Path, tmp_path: Path) -> None:
    verify(folder)
    listed = parse_checked((folder / CHECKSUMS).read_bytes())["files"]
    data = {path.name for path in folder.iterdir() if path.suffix in (".json", ".safetensors")}
    assert set(listed) == data - {CHECKSUMS}, "run: python tools/checksums.py"
    for name in (CHECKSUMS, *listed):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    changed = tmp_path / sorted(listed)[-1]
    content = bytearray(changed.read_bytes())
    content[len(content) // 2] ^= 1
    changed.write_bytes(bytes(content))
    with pytest.raises(DamagedFile, match="changed since it was saved"):
        verify(tmp_path)
