"""The Parquet files fabula writes, read by the datasets library."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.text.io.records import write_records


def test_datasets_loads_the_parquet(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="pip install datasets")
    rows = [{"id": str(n), "units": ["It fell.", "It stood."], "gold": [1, 0]} for n in range(3)]
    write_records(tmp_path / "items.parquet", rows)
    files = str(tmp_path / "items.parquet")
    loaded = datasets.load_dataset(
        "parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache")
    )
    assert [dict(row) for row in loaded] == rows
