"""For the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.line import TANGLED


@pytest.fixture
def pile(tmp_path: Path) -> Path:
    path = tmp_path / "pile.txt"
    path.write_text(TANGLED)
    return path
