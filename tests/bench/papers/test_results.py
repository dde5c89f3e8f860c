"""The results page says what was measured, once, and what was not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fabula.bench.papers import papers
from fabula.bench.papers.listing import measured, summaries
from fabula.bench.papers.results import results_page
from fabula.bench.papers.results.page import real_tables
from fabula.bench.papers.results.runs import table_runs

ROOT = Path(__file__).parents[3]
STORED = ROOT / "src" / "fabula" / "bench" / "papers"
TASKS = {name: told for name, told in measured().items() if "task" in told}
TABLES = {name: told for name, told in measured().items() if "paper" in told}


def test_the_page_is_up_to_date() -> None:
    page = ROOT / "docs" / "results.md"
    assert page.read_text(encoding="utf-8") == results_page(), "run: make docs"


def test_no_run_on_packaged_text_is_on_the_page() -> None:
    assert "stand-in" not in results_page()
    summary = next(s for s in summaries().values() if s["paper"] == "cloze-evaluator")
    assert table_runs({"a": summary}) and not table_runs({"a": {**summary, "preset": "quick"}})


def test_quick_runs_are_timed() -> None:
    quick = measured()["quick"]["processor"]
    assert {name: list(quick[name]) for name in papers} == {
        name: list(papers.get(name).tables) for name in papers
    }


@pytest.mark.parametrize("name", summaries())
def test_a_summary_is_small_and_names_machine_and_date(name: str) -> None:
    file = STORED / "summaries" / f"{name}.json"
    assert file.stat().st_size < 300_000
    summary = summaries()[name]
    assert summary["preset"] == "full"
    assert summary["machine"]["platform"] and summary["started"] and summary["versions"]["fabula"]
    assert "/work" not in file.read_text(encoding="utf-8")


def test_every_table_is_on_the_page_or_said_to_be_missing() -> None:
    page, runs = results_page(), table_runs()
    real, every = real_tables(runs)
    assert f"{real} of the {every} tables" in page and every == 22
    done = {run.name for run in runs}
    for name in papers:
        for table in papers.get(name).tables:
            whole = table.rstrip("ab")
            if table.startswith(("table", "figure")) and "-" not in table:
                missing = f"(`{name}.{whole}`)" in page
                assert missing != any(d in done for d in (f"{name}.{table}", f"{name}.{whole}b",
                                                          f"{name}.{whole}a"))  # fmt: skip
    assert "Not measured:" in page and "not run yet" not in page


def test_every_run_has_its_command_and_known_data() -> None:
    page, files = results_page(), measured()["data_sets"]["files"]
    for run in table_runs():
        assert run.commands and run.date >= "2026" and run.seeds
        assert set(run.data) <= set(files), run.name
        assert all(command in page for command in run.commands)
        for row in run.rows:
            assert len(row["labels"]) == len(run.columns), (run.name, row["labels"])


@pytest.mark.parametrize("name", [*TASKS, *TABLES])
def test_a_measured_number_is_one_line(name: str) -> None:
    text = (STORED / "measured" / f"{name}.json").read_text(encoding="utf-8")
    rows = [json.loads(line.strip().rstrip(",")) for line in text.splitlines()
            if line.startswith("  {")]  # fmt: skip
    told = measured()[name]
    assert rows == told["rows"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", told["date"])
    for row in rows:
        if row.get("low") is not None:
            assert row["low"] <= row["ours"] <= row["high"], row


@pytest.mark.parametrize("name", TASKS)
def test_a_measured_number_stands_on_the_page_of_its_task(name: str) -> None:
    """Where this fails one of the two was changed: change the line in ``measured``, or the page."""
    told = TASKS[name]
    page = (ROOT / "docs" / told["page"]).read_text(encoding="utf-8")
    said = " ".join(page.replace("**", "").replace("0.", ".").split())
    for row in told["rows"]:
        digits = row.get("digits", 3)
        shown = f"{row['ours']:.{digits}f}".removeprefix("0")
        if row.get("low") is not None:
            ends = [f"{row[end]:.{digits}f}".removeprefix("0") for end in ("low", "high")]
            pattern = f"{shown}( %)? \\[{ends[0]}, {ends[1]}\\]"
        else:
            pattern = shown
        assert re.search(pattern, said), f"{told['page']} does not say {pattern}: {row}"


def test_published_numbers_are_those_of_the_papers() -> None:
    salads = papers.get("story-salads").tables["table2"].run.keywords
    for row in measured()["story-salads-table2"]["rows"]:
        model, data = row["labels"]
        assert row["published"] == salads["published"][model][list(salads["sets"]).index(data)]
    ordering = papers.get("text-ordering").tables["table2"].run.keywords["published"]
    for row in measured()["text-ordering-table2"]["rows"]:
        data, model, metric = row["labels"]
        if metric == "PMR" and "ours" not in model:
            assert row["published"] == ordering[model][data][0]


def two_seeds() -> dict[str, Any]:
    summary = summaries()["ending-biases-story-cloze-val-table3"]
    other = json.loads(json.dumps(summary))
    other["seed"] = 1
    row = other["tables"]["table3"]["rows"][0]
    row["ours"], row["low"] = row["ours"] + 2, row["low"] - 1
    return {"a": summary, "b": other}


def test_seeds_of_one_run_are_joined() -> None:
    (run,) = table_runs(two_seeds())
    first = summaries()["ending-biases-story-cloze-val-table3"]["tables"]["table3"]["rows"][0]
    assert run.seeds == [0, 1] and run.rows[0]["ours"] == pytest.approx(first["ours"] + 1)
    assert run.rows[0]["low"] == first["low"] - 1 and run.rows[0]["high"] == first["high"]
    assert "--seed 0|1" in run.commands[0]
    assert "Seed 0, 1;" in results_page({}, [run])


def test_the_page_names_what_nobody_can_run() -> None:
    page = results_page({}, [])
    assert "0 of the 22" in page
    assert "(`ending-biases.table4`): its data" in page and "never published" in page
