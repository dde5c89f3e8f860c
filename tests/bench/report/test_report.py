from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.bench.toy import TOY, Judge, numbers

from fabula.bench.evaluate import evaluate
from fabula.bench.report import plots, render_report
from fabula.bench.runs.store import Run, find_runs
from fabula.errors import UsageError

EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    for slip, name in [(3, "three & more"), (7, EVIL), (5, "a$b$_{c} 模型")]:
        evaluate(TOY, numbers(40), Judge(slip=slip, name=name), folder=folder, notes=[EVIL])
    evaluate(TOY, numbers(20), Judge(name="alone"), folder=folder, metrics=["accuracy"])
    return find_runs(folder)


def test_the_page_stands_alone(runs: list[Run]) -> None:
    page = render_report(runs)
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(
        r"https?://|//[a-z]|url\((?!#)|@import|<link|<img|<script|<iframe", without_names
    )
    assert page.count("<svg") == 2 * 2 + 2  # two for each data set, two for the other metrics
    assert "prefers-color-scheme: dark" in page and 'name="viewport"' in page


def test_user_text_is_escaped(runs: list[Run]) -> None:
    page = render_report(runs, title=EVIL)
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "three &amp; more" in page and "a$b$_{c}" in page


def test_the_same_runs_give_the_same_page(runs: list[Run]) -> None:
    assert render_report(runs) == render_report(runs)


def test_the_page_says_what_was_found_and_how(runs: list[Run]) -> None:
    page = render_report(runs)
    for run in runs:
        assert run.data["fingerprint"] in page and str(run.folder) in page
    assert "significantly" in page and "wilson" in page and "numpy" in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert not [name for name in ids if re.fullmatch(r"[a-z0-9.]+_\d+", name)]


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one run"):
        render_report([])


def test_a_crowd_is_compared_with_its_leader_only() -> None:
    crowd = [evaluate(TOY, numbers(12), Judge(slip=n, name=f"m{n}")) for n in range(2, 13)]
    page = render_report(crowd)
    assert "45 pairs without the leading model are left out" in page


def test_colours_come_from_the_page(tmp_path: Path) -> None:
    drawing = plots.forest({"a" * 60: (0.5, 0.4, 0.6), "b": (0.1, 0.1, 0.1)}, "tau")
    assert "var(--series-1" in drawing and "#0404" not in drawing and "#0202" not in drawing
    assert 'aria-label="tau of each model' in drawing and "…" in drawing
