"""What the build commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.cli.build.common import check_items, check_split
from fabula.errors import UsageError


def test_chains_cannot_be_split_by_date(tmp_path: Path) -> None:
    assert check_split(None, dated=False) is None
    assert check_split("80/20", dated=False) == {"train": 0.8, "test": 0.2}
    assert check_split("date:80/20", dated=True) == {"train": 0.8, "test": 0.2}
    with pytest.raises(UsageError, match="--split date: chains have no date"):
        check_split("date", dated=False)
    check_items(tmp_path / "x.jsonl", "date")
    with pytest.raises(UsageError, match="chains have no date"):
        check_items(tmp_path / "x.jsonl", "date:80/20", dated=False)
