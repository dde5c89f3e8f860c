"""The five papers: every table and figure is there, and each runs at the smallest size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fabula.bench.papers import Paper, Reproduced, papers, reproduce
from fabula.bench.papers.corpora import STANDINS
from fabula.bench.papers.listing import listing
from fabula.bench.papers.measures.ratings import simulate
from fabula.bench.papers.shape import Row
from fabula.registry import encoders

WANTED = {
    "story-salads": ["table1", "table2", "table3", "table4", "figure4"],
    "ending-biases": ["table2", "table2-stanford", "table3", "table4", "table5", "table6"],
    "event-cloze": ["table1", "table2", "table3", "table4", "figure1", "variants"],
    "text-ordering": [
        "table1", "table2", "table3a", "table3b", "figure1", "figure2", "figure3"
    ],
    "cloze-evaluator": ["table2"],
}  # fmt: skip


class Letters:
    """Counts of letters: an encoder that needs nothing and takes no time."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[text.lower().count(letter) for letter in "etaoinshrdlu"] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), 12) + 0.01


@pytest.fixture(autouse=True)
def letters() -> Iterator[None]:
    with encoders.override("letters", Letters):
        yield


def slim(name: str, **changes: Any) -> AbstractContextManager[None]:
    """A block in which a paper has fewer rows in its tables: those that ``changes`` keep."""
    paper: Paper = papers.get(name)
    tables = {}
    for key, table in paper.tables.items():
        run = table.run
        if isinstance(run, partial):
            fewer = {k: changes[k](v) for k, v in run.keywords.items() if k in changes}
            run = partial(run.func, **{**run.keywords, **fewer})
        tables[key] = replace(table, run=run)
    return papers.override(name, replace(paper, tables=tables))


def rows_of(done: Reproduced) -> dict[str, tuple[Row, ...]]:
    for table, outcome in done.tables.items():
        assert outcome.not_run or outcome.result.rows, table
        for row in outcome.result.rows:
            assert len(row.labels) == len(outcome.table.columns)
            assert set(row.why) <= set(outcome.reasons)
    return {table: outcome.result.rows for table, outcome in done.tables.items()}


def test_the_list_names_every_table_and_figure() -> None:
    found = listing()
    assert {name: list(paper["tables"]) for name, paper in found.items()} == WANTED
    for paper in found.values():
        assert paper["cite"] and paper["full"]
        for table in paper["tables"].values():
            assert set(table["needs"]) <= set(paper["corpora"])
            assert table["reproducible"] or table["why_not"]
    assert not found["ending-biases"]["tables"]["table4"]["reproducible"]


@pytest.mark.parametrize("name", WANTED)
def test_every_stand_in_is_described(name: str) -> None:
    paper: Paper = papers.get(name)
    assert all(not need.standin or need.standin in STANDINS for need in paper.needs)
    for table in paper.tables.values():
        assert table.run is None or table.needs
        assert set(table.base) <= set(paper.reasons)


@pytest.mark.slow
def test_story_salads() -> None:
    with slim("story-salads", models=lambda models: [m for m in models if m.name in CHEAP]):
        done = reproduce("story-salads", preset="tiny", settings={"vectors": "letters"})
    rows = rows_of(done)
    table2 = {row.labels: row for row in rows["table2"]}
    assert table2["UNIF", "NYT"].published == 52.7 and table2["KM", "WIKI-HARD"].published == 60.4
    assert all(50 <= float(row.ours or 0) <= 100 for row in rows["table2"])
    assert table2["UNIF", "NYT"].ours < 75  # type: ignore[operator]
    assert {row.labels[1] for row in rows["table4"]} == {"NYT-EVENT", "NYT-EVENT-HARD"}
    assert len(done.tables["figure4"].result.figures) == 2
    assert "vectors" in table2["KM", "NYT"].why and "vectors" not in table2["UNIF", "NYT"].why


CHEAP = ("unif", "kmedoids", "bilstm-mt-ctx", "ffnn-bilstm")


def test_ending_biases() -> None:
    few = ("cogcomp", "average sentiment", "human")
    with slim("ending-biases", contenders=lambda all_: [c for c in all_ if c.label in few]):
        done = reproduce("ending-biases", preset="tiny", settings={"vectors": "letters"})
    rows = rows_of(done)
    table2 = {row.labels: row for row in rows["table2"]}
    assert table2["VADER", "right"].published == 0.146
    assert 5 < float(table2["tokens", "right"].ours or 0) < 15
    assert "CoreNLP" not in done.tables["table2"].not_run
    assert "--corpus stanford=PATH" in done.tables["table2-stanford"].not_run
    assert "never published" in done.tables["table4"].not_run
    human = [row for row in rows["table6"] if row.labels[0] == "human"]
    assert len(human) == 3 and all(row.ours is None for row in human)  # nobody was asked


def test_stanfords_answers_are_read_from_a_file(tmp_path: Any) -> None:
    from fabula.bench.papers.corpora import Corpus
    from fabula.errors import InputError
    from fabula.text.io.records import write_records

    items = Corpus("val", "sample-endings-2", True).endings()[:30]
    items += Corpus("test", "sample-endings-1", True).endings()[:30]
    texts = [option for item in items for option in item.options]
    path = tmp_path / "corenlp.jsonl"
    write_records(path, [{"text": text, "sentiment": len(text) % 5} for text in texts])
    call = partial(reproduce, "ending-biases.table2-stanford", [f"stanford={path}"], preset="tiny")
    (row, *_) = call().tables["table2-stanford"].result.rows
    assert row.labels == ("Stanford", "right") and 0 <= float(row.ours or 0) <= 4
    write_records(path, [{"text": text, "sentiment": 1} for text in texts[1:]])
    with pytest.raises(InputError, match="has no 'sentiment' for 1 endings"):
        call()


@pytest.mark.slow
def test_event_cloze() -> None:
    with slim("event-cloze", recipes=lambda some: dict(list(some.items())[3:5])):
        rows = rows_of(reproduce("event-cloze", preset="tiny"))
    table1 = {row.labels[0]: row for row in rows["table1"]}
    assert table1["Bigrams (k=2)"].published == 0.465
    assert all(0 <= float(row.ours or 0) <= 1 for row in rows["table1"])
    table2 = {row.labels[0]: row for row in rows["table2"]}
    assert 0 <= float(table2["Unigrams"].ours) <= 1  # type: ignore[arg-type]
    assert 0 <= float(table2["Uni Exact 100%"].ours or 0) <= 1
    assert table2["Uni Exact 100%"].why[0] == "instances"
    assert isinstance(rows["table4"][0].ours, str) and "->" in rows["table4"][0].ours
    assert {row.labels[0] for row in rows["figure1"]} == {"0", "5"}
    assert {row.labels[0] for row in rows["variants"]} == {"each event once", "without be"}
    assert {row.labels[1] for row in rows["variants"]} == {
        "unigram",
        "bigram",
        "pmi",
        "pmi, cutoff",
    }


def test_cloze_evaluator() -> None:
    settings = {"vectors": "letters"}
    rows = rows_of(reproduce("cloze-evaluator", preset="tiny", settings=settings))["table2"]
    assert [row.published for row in rows][:4] == [0.513, 0.539, 0.552, 0.585]
    assert rows[0].low <= rows[0].ours <= rows[0].high  # type: ignore[operator]
    assert rows[2].ours is None and rows[2].why[0] == "skip"


def test_text_ordering_data_and_matrices() -> None:
    fewer = slim(
        "text-ordering",
        networks=lambda networks: networks[:1],
        sources=lambda sources: dict(list(sources.items())[:1]),
    )
    rows: dict[str, tuple[Row, ...]] = {}
    with fewer:
        for table in ("table1", "table2", "table3a", "figure2"):
            rows |= rows_of(reproduce(f"text-ordering.{table}", preset="tiny"))
    assert rows["table1"][0].labels == ("arXiv", "units a text", "train")
    assert rows["table1"][0].published == 6.69
    labels = {row.labels: row.published for row in rows["table2"]}
    assert labels["arXiv", "LSTM+PtrNet", "pmr"] == 22.17
    assert labels["arXiv", "LSTM+PtrNet", "parameters, M"] == 11.0
    assert labels["arXiv", "random (chance)", "wlcs-l"] is None
    matrix = {row.labels: row for row in rows["table3a"]}
    assert len(matrix) == 9
    assert matrix["sentence: AAN", "LSTM+PtrNet", "NIPS"].published == 0.65


def test_curves_are_drawn() -> None:
    with slim("text-ordering", networks=lambda networks: networks[:1]):
        done = reproduce("text-ordering.figure1", preset="tiny")
    assert rows_of(done)["figure1"][0].labels == ("arXiv", "WLCS-l", "LSTM+PtrNet", "8")
    assert set(done.tables["figure1"].result.figures) == {
        "arXiv-WLCS-l", "arXiv-Acc", "Economist-WLCS-l", "Economist-Acc"
    }  # fmt: skip


def test_simulated_ratings_are_called_so() -> None:
    done = reproduce("text-ordering.figure3", preset="tiny")
    outcome = done.tables["figure3"]
    assert "SIMULATED" in outcome.result.notes[0] and "simulated" in done.corpora["ratings"]
    assert {row.labels[0] for row in outcome.result.rows} >= {"R² on tau", "R² on WLCS-l"}
    assert set(outcome.result.figures) == {"tau", "WLCS-l", "ratings"}
    rows = simulate(5, 0)
    assert rows == simulate(5, 0) != simulate(5, 1) and len(rows) == 30
    assert all(1 <= row["rating"] <= 5 for row in rows)


def test_own_ratings_take_the_place_of_simulated_ones(tmp_path: Any) -> None:
    from fabula.text.io.records import write_records

    path = tmp_path / "ratings.jsonl"
    write_records(path, simulate(8, 3))
    done = reproduce("text-ordering.figure3", [f"ratings={path}"])
    assert not any("SIMULATED" in note for note in done.tables["figure3"].result.notes)
    assert done.to_row()["changed"] == []
