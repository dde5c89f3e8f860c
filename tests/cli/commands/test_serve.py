"""What ``fabula serve`` refuses."""

from __future__ import annotations

from pathlib import Path

from tests.cli.line import fabula


def test_other_machines_need_a_long_token(tmp_path: Path) -> None:
    done = fabula("serve", "--host", "0.0.0.0", "--token", "short", "--state", tmp_path / "s")
    assert done.exit_code == 2 and "at least 16 characters" in done.output
    assert "$FABULA_TOKEN" in done.stderr  # which hides it
    assert not (tmp_path / "s").exists()
