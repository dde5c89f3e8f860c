"""What fails CI: a ratio that fell to less than half of the recorded one, and stayed there."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
table = importlib.import_module("benchmarks.__main__")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"name": "a", "ratio": 1.0}, ""),
        ({"name": "a", "ratio": 0.99}, "a: ratio 0.99, recorded 2"),
        ({"name": "a", "ratio": None}, ""),
        ({"name": "not recorded", "ratio": 0.0}, ""),
    ],
)
def test_fallen(row: dict[str, Any], said: str) -> None:
    assert table.fallen(row, {"a": 2}) == said


@pytest.mark.parametrize(
    ("ratios", "runs", "bad"), [([9.0], 1, 0), ([0.1, 9.0], 2, 0), ([0.1] * 3, 3, 1)]
)
def test_a_low_ratio_is_tried_again(
    ratios: list[float], runs: int, bad: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    left = list(ratios)
    fake = SimpleNamespace(run=lambda quick: [{"name": "a", "ratio": left.pop(0), "ok": False}])
    monkeypatch.setattr(importlib, "import_module", lambda name: fake)
    monkeypatch.setattr(table, "RECORDED", tmp_path / "recorded.json")
    table.RECORDED.write_text('{"a": 2}')
    rows, missed = table.run_quickly("any")
    assert (len(ratios) - len(left), len(missed), len(rows)) == (runs, bad, 1)


def test_every_benchmark_is_named_and_every_record_is_a_number() -> None:
    recorded = json.loads((ROOT / "benchmarks" / "recorded.json").read_text())
    assert all(isinstance(ratio, int | float) for ratio in recorded.values())
    assert all((ROOT / "benchmarks" / f"{name}.py").is_file() for name in table.NAMES)


def test_what_was_measured_is_kept_and_becomes_a_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = {"name": "a|b", "ours": 1234.5, "ratio": 2.0, "ok": True}
    monkeypatch.setattr(table, "KEPT", tmp_path / "runs" / "bench.json")
    monkeypatch.setattr(table, "run_fully", lambda name: ([row], []))
    assert table.main(["startup"]) == 0
    assert table.main(["encoder"]) == 0
    assert list(table.kept()) == ["startup", "encoder"]
    assert table.main(["--page", str(tmp_path / "page.md")]) == 0
    told = (tmp_path / "page.md").read_text()
    assert told.count("| a\\|b | 1,234 |") == 2
