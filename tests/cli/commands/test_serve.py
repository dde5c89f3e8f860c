"""What ``fabula serve`` refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.line import fabula


@pytest.mark.parametrize("token", ["", "short"])
def test_other_machines_need_a_token(token: str, tmp_path: Path) -> None:
    done = fabula("serve", "--host", "0.0.0.0", "--token", token, "--state", tmp_path / "s")
    assert done.exit_code == 2 and "--token" in done.output
    assert not (tmp_path / "s").exists()
