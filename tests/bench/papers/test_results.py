"""The results page says what the committed summaries say, and they what was run."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula.bench.papers import papers
from fabula.bench.papers.listing import summaries
from fabula.bench.papers.results import results_page

ROOT = Path(__file__).parents[3]


def test_the_page_is_up_to_date() -> None:
    page = ROOT / "docs" / "results.md"
    assert page.read_text(encoding="utf-8") == results_page(), "run: make docs"


def test_every_paper_has_a_quick_run() -> None:
    for name in papers:
        plain = [
            s
            for s in summaries().values()
            if s["paper"] == name and s["preset"] == "quick" and not s["changed"]
        ]
        assert plain, f"no summary of {name} --quick"
        wanted = {t for t in papers.get(name).tables if t.startswith(("table", "figure"))}
        assert wanted <= set(plain[0]["tables"])


@pytest.mark.parametrize("name", summaries())
def test_a_summary_is_small_and_names_machine_and_date(name: str) -> None:
    file = ROOT / "src" / "fabula" / "bench" / "papers" / "summaries" / f"{name}.json"
    assert file.stat().st_size < 300_000
    summary = summaries()[name]
    assert summary["machine"]["platform"] and summary["started"] and summary["versions"]["fabula"]
    assert "/work" not in file.read_text(encoding="utf-8")


def test_the_page_names_what_nobody_can_run() -> None:
    assert "Not reproducible: `ending-biases.table4`" in results_page({})
