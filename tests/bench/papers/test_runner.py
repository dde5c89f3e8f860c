"""The runner on a paper of its own: corpora, settings, going on, and pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula.bench.papers import Need, Paper, Row, Setting, Table, TableResult, papers, reproduce
from fabula.bench.papers.render import cells, html, markdown
from fabula.bench.papers.work import Work
from fabula.errors import InputError, MissingPart, UnknownName, UsageError

ASKED: list[str] = []


def lengths(work: Work) -> TableResult:
    def measure() -> dict[str, Any]:
        ASKED.append(work.corpora["news"].label)
        number = sum(1 for _ in work.corpora["news"].documents())
        return {"value": float(min(number, work["most"])), "low": 1.0, "high": 50.0}

    cell = work.cell("lengths", measure)
    rows = (
        Row.of(("documents <b>|x",), 12.0, cell, digits=0),
        Row(("words",), "many", "few & far", why=("odd",)),
        Row(("extra",), None, 2.0, float("nan"), float("inf")),
        Row(("p",), 1e-54, 0.25),
    )
    return TableResult(rows, ("a note",), {"drawn": "<svg><title>x</title></svg>"})


def missing(work: Work) -> TableResult:
    raise MissingPart("a thing", "pip install thing")


@pytest.fixture
def toy() -> Iterator[Paper]:
    paper = Paper(
        title="A <toy> paper",
        cite="Nobody: Nothing. 2020",
        needs=(Need("news", "any news", "sample"), Need("other", "more", "sotu")),
        settings={"most": Setting(100, 5, 2, "documents counted")},
        reasons={"odd": "words are <i>words</i>", "unused": "never said"},
        tables={
            "table1": Table("Table 1: <lengths>", ("what",), ("news",), lengths, ("all open",)),
            "table2": Table("Table 2", ("what",), ("news",), missing),
            "table3a": Table("Table 3a", ("what",), ("other",), lambda work: TableResult(())),
            "table3b": Table("Table 3b", ("what",), ("other",), lambda work: TableResult(())),
            "table4": Table("Table 4", ("what",), ("news",), None, missing="lost for ever"),
        },
    )
    ASKED.clear()
    with papers.override("toy", paper):
        yield paper


def test_differences_are_explained(toy: Paper) -> None:
    done = reproduce("toy.table1", quick=True).to_row()
    first, second, third, _ = done["tables"]["table1"]["rows"]
    assert first["ours"] == 5 and first["difference"] == -7 and first["inside"]
    assert first["why"] == ["corpus", "size"] and second["why"] == ["odd", "corpus", "size"]
    assert third["why"] == []  # nothing was published, so nothing differs
    reasons = done["tables"]["table1"]["reasons"]
    assert set(reasons) == {"corpus", "size", "odd"} and "most 5 for 100" in reasons["size"]
    assert "stand-in" in done["corpora"]["news"] and set(done["corpora"]) == {"news"}
    assert done["machine"]["cpus"] and done["started"].startswith("20")


def test_full_sizes_want_the_papers_corpus(toy: Paper, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--corpus ROLE=PATH.*news: any news.*--quick"):
        reproduce("toy")
    path = tmp_path / "mine.txt"
    path.write_text("One. Two.\n")
    done = reproduce("toy.table1", [f"news={path}"]).to_row()
    assert done["preset"] == "full" and done["changed"] == []
    assert done["tables"]["table1"]["rows"][0]["why"] == ["given"]  # sizes are the paper's
    assert done["corpora"] == {"news": "mine.txt"}  # no folder of this machine
    assert reproduce("toy.table1", [str(path)]).to_row()["corpora"] == {"news": "mine.txt"}


def test_wrong_calls_say_what_is_allowed(toy: Paper, tmp_path: Path) -> None:
    for wrong, kind, said in (
        ({"name": "toy.table9"}, UnknownName, "table1"),
        ({"name": "toy.table"}, UnknownName, "table1"),
        ({"name": "toi"}, UnknownName, "toy"),
        ({"corpus": ["mews=sample"]}, UnknownName, "did you mean 'news'"),
        ({"corpus": ["news="]}, UsageError, "ROLE=PATH"),
        ({"corpus": ["news=nowhere.jsonl"]}, InputError, "does not exist"),
        ({"corpus": ["news=sample", "news=sotu"]}, UsageError, "twice"),
        ({"settings": {"mots": 3}}, UnknownName, "most"),
        ({"preset": "huge"}, UnknownName, "quick"),
        ({"name": "toy.table3a", "corpus": ["news=sample"], "quick": False}, UsageError, "other"),
    ):
        call: dict[str, Any] = {"name": "toy", "quick": True, **wrong}
        with pytest.raises(kind, match=said):
            reproduce(call.pop("name"), call.pop("corpus", ()), **call)


def test_a_part_or_table_that_cannot_run_does_not_stop_the_others(toy: Paper) -> None:
    done = reproduce("toy", quick=True)
    assert "pip install thing" in done.tables["table2"].not_run
    assert done.tables["table4"].not_run == "lost for ever"
    assert done.tables["table1"].result.rows
    assert list(reproduce("toy.table3", quick=True).tables) == ["table3a", "table3b"]
    page = markdown(done.to_row())
    assert "Not run: lost for ever" in page


def test_finished_measurements_are_kept(toy: Paper, tmp_path: Path) -> None:
    for _ in range(2):
        done = reproduce("toy.table1", quick=True, folder=tmp_path / "run")
    assert ASKED == ["sample"] and done.tables["table1"].result.rows[0].ours == 5
    reproduce("toy.table1", quick=True, folder=tmp_path / "run", seed=1)
    reproduce("toy.table1", quick=True, folder=tmp_path / "run", settings={"most": 7})
    reproduce("toy.table1", ["news=sotu"], quick=True, folder=tmp_path / "run")
    assert ASKED == ["sample", "sample", "sample", "sotu"]  # another seed, size or corpus
    for cell in (tmp_path / "run" / "cells").iterdir():
        cell.write_text("{")  # damaged: measured again
    reproduce("toy.table1", quick=True, folder=tmp_path / "run")
    assert len(ASKED) == 5


def test_pages_escape_what_they_show(toy: Paper, tmp_path: Path) -> None:
    done = reproduce("toy.table1", quick=True, folder=tmp_path)
    page = html(done)
    assert page == (tmp_path / "results.html").read_text(encoding="utf-8")
    for raw in ("A <toy>", "<b>|x", "<i>words", "<lengths>"):
        assert raw not in page
    assert "documents &lt;b&gt;|x" in page and "few &amp; far" in page
    assert "<svg><title>x</title></svg>" in page and "http" not in page.replace("http-equiv", "")
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "documents &lt;b&gt;\\|x" in text and "| published | ours | 95 % interval |" in text
    assert (tmp_path / "table1-drawn.svg").is_file()
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert summary["tables"]["table1"]["rows"][0]["published"] == 12.0
    assert str(tmp_path) not in json.dumps(summary)


def test_numbers_are_readable(toy: Paper) -> None:
    table = reproduce("toy.table1", quick=True).to_row()["tables"]["table1"]
    documents, words, extra, p = cells(table)
    assert documents[1:] == ["12", "5", "1 to 50", "-7, inside a b"]
    assert words[1:3] == ["many", "few & far"] and extra[-1] == "–"
    assert p[1] == "1.0e-54"  # not 0.000


def test_without_a_folder_nothing_is_left(toy: Paper) -> None:
    places: list[Path] = []

    def kept(work: Work) -> TableResult:
        places.append(work.subfolder("models"))
        return TableResult(())

    table = Table("Table 1", ("what",), ("news",), kept)
    paper = Paper("T", "C", toy.needs, toy.settings, {"table1": table})
    with papers.override("toy", paper):
        reproduce("toy", quick=True)
    assert not places[0].exists()


def test_time_adds_up_over_attempts(tmp_path: Path) -> None:
    work = Work("toy", {}, {}, folder=tmp_path)
    work.took("table1", 1.0, 2.0, finished=False)
    assert work.took("table1", 3.0, 4.0) == (4.0, 6.0)
    assert work.took("table1", 0.1, 0.1) == (4.0, 6.0)  # only read back
    assert Work("toy", {}, {}).took("table1", 0.1, 0.2) == (0.1, 0.2)


def broken(work: Work) -> TableResult:
    raise ZeroDivisionError("a bug")


def refused(work: Work) -> TableResult:
    raise UsageError("too few documents")


def stopped(work: Work) -> TableResult:
    work.cell("long", lambda: {"value": 1.0})
    raise KeyboardInterrupt


def of_tables(toy: Paper, **tables: Any) -> Paper:
    made = {name: Table(name, ("what",), ("news",), run) for name, run in tables.items()}
    return Paper("T", "C", toy.needs, toy.settings, made)


def test_what_can_be_made_is_made(toy: Paper) -> None:
    paper = of_tables(toy, table1=broken, table2=lengths, table3=refused)
    with papers.override("toy", paper):
        done = reproduce("toy", quick=True)
        assert done.tables["table2"].result.rows and done.failed
        assert done.tables["table1"].not_run == "failed: ZeroDivisionError('a bug')"
        assert done.tables["table3"].not_run == "too few documents"
        with pytest.raises(UsageError, match="too few"):  # nothing else to show
            reproduce("toy.table3", quick=True)


def test_a_stopped_run_shows_what_it_has_and_goes_on_without_a_folder(toy: Paper) -> None:
    paper = of_tables(toy, table1=lengths, table2=stopped, table3=lengths)
    with papers.override("toy", paper):
        done = reproduce("toy", quick=True, settings={"most": 3})
    assert done.tables["table1"].result.rows and done.failed
    assert done.tables["table2"].not_run.startswith("stopped; run it again to go on (kept in ")
    kept = Path(done.tables["table3"].not_run.rpartition("kept in ")[2].rstrip(")"))
    assert len(ASKED) == 1 and kept.is_dir()
    with papers.override("toy", of_tables(toy, table1=lengths, table3=lengths)):
        again = reproduce("toy", quick=True, settings={"most": 3})
    assert len(ASKED) == 1, "measured before it was stopped"
    assert not again.failed and not kept.exists(), "nothing is left of a finished run"
