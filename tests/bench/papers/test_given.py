"""Files a user passes to reproduce: items split already, files that hold one another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabula.bench.papers import reproduce
from fabula.bench.papers.corpora import Corpus
from fabula.bench.papers.measures.endings import EndingModel, contained_in, contest
from fabula.bench.papers.measures.ordering import OrderingSet, data_of
from fabula.bench.papers.work import Work
from fabula.endings.items import Ending
from fabula.endings.leakage import training_marks
from fabula.endings.metrics import accuracy
from fabula.endings.models.endingreg.ablation import ablation
from fabula.endings.models.endingreg.model import EndingReg
from fabula.registry import models

NOUNS = "boat lamp river horse garden letter bridge candle".split()


def ending(number: int) -> Ending:
    word, other = NOUNS[number % 8], NOUNS[(number * 3 + 1) % 8]
    options = (
        f"Then the {word} was mended {number}.",
        f"Nobody liked the {other}, number {number}.",
    )
    return Ending(f"i{number}", (f"Story {number} of a {other}.",), options, number % 2)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def text(number: int) -> dict[str, Any]:
    units = [f"Unit {number} of {place}." for place in ("first", "second", "third")]
    return {"id": f"t{number}", "units": units[::-1], "gold": [2, 1, 0]}


def work_with(**corpora: Path) -> Work:
    given = {role: Corpus(role, str(path), False) for role, path in corpora.items()}
    settings = {"shares": "80/10/10", "texts": None, "documents": None, "items": None}
    return Work("toy", settings, given)


def test_items_that_were_split_are_taken_as_they_are(tmp_path: Path) -> None:
    for side, numbers in (("train", range(8)), ("dev", range(8, 10)), ("test", range(10, 13))):
        write(tmp_path / f"x.{side}.jsonl", [text(n) for n in numbers])
    work = work_with(arxiv=tmp_path / "x.jsonl")
    data = data_of(work, "arXiv", OrderingSet("arxiv", "sentence"))
    assert [len(part) for part in (data.train, data.dev, data.test)] == [8, 2, 3]
    assert data.test[0].id == "t10" and data.test[0].gold == (2, 1, 0)


def test_items_that_were_not_split_are_split_by_id(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", [text(n) for n in range(40)])
    data = data_of(work_with(arxiv=path), "arXiv", OrderingSet("arxiv", "sentence"))
    ids = [item.id for part in (data.train, data.dev, data.test) for item in part]
    assert sorted(ids) == sorted({*ids}) and len(ids) == 40 and len(data.train) > 25


def test_a_file_contained_in_another_is_called_so(tmp_path: Path) -> None:
    old = write(tmp_path / "val.jsonl", [ending(n).to_row() for n in range(30)])
    half = [ending(n).to_row() for n in range(20, 40)]
    new = write(tmp_path / "new.jsonl", [{**row, "id": f"v{row['id']}"} for row in half])
    note = contained_in(work_with(val=old, new=new), "new", ["val", "test"])
    assert note == (
        "new.jsonl (new) is not new data: of its 20 items, 10 of them stand in val.jsonl (val)"
    )
    fresh = write(tmp_path / "fresh.jsonl", [ending(n).to_row() for n in range(50, 60)])
    assert contained_in(work_with(val=old, new=fresh), "new", ["val"]) == ""


class Learnt:
    """A model that remembers what it was trained on, and prefers the longer ending."""

    def fit(self, items: list[Ending], dev: Any = ()) -> Learnt:
        self.training_marks_ = training_marks(items)
        return self

    def score(self, items: list[Ending]) -> list[list[float]]:
        return [[float(len(option)) for option in item.options] for item in items]


def test_items_seen_in_training_are_the_users_decision(tmp_path: Path) -> None:
    old = write(tmp_path / "val.jsonl", [ending(n).to_row() for n in range(40)])
    new = write(tmp_path / "new.jsonl", [ending(n).to_row() for n in range(30, 60)])
    rivals = (EndingModel("learnt", "learnt", learns="val"), EndingModel("constant", "constant"))
    published = {"learnt": (0.7,), "constant": (0.5,)}
    with models.override("endings/learnt", Learnt):
        rows = {}
        for force in (False, True):
            work = work_with(val=old, new=new)
            work.force = force
            result = contest(
                work, contenders=rivals, roles={"v1.5": "new"}, published=published, columns=1
            )
            rows[force] = {row.labels[0]: row for row in result.rows}
            said = any("10 of 30 items were seen" in note for note in result.notes)
            assert said is not force
    assert rows[False]["learnt"].ours is None and rows[False]["learnt"].why == ("seen",)
    assert rows[False]["constant"].ours == 0.5, "the others are measured"
    assert rows[True]["learnt"].ours is not None


def test_one_endingreg_cell_has_one_value() -> None:
    train, test = [ending(n) for n in range(60)], [ending(n) for n in range(60, 90)]
    groups = ("length", "chars")  # what needs no parser
    for seed in (0, 3):
        scores = EndingReg(groups=groups, seed=seed).fit(train).score(test)
        mine = sum(accuracy(i, s).total for i, s in zip(test, scores, strict=True)) / len(test)
        (pair, _) = ablation(train, test, rows={"all": (groups, None)}, seed=seed)
        assert pair.accuracy == pytest.approx(mine)


def test_a_depth_that_follows_length_and_coordination_is_shown_without_them(
    tmp_path: Path,
) -> None:
    """Right endings are longer and coordinated more often, and deep for no other reason."""
    names, rows = "Ann Ben Cora Dan Eve Finn".split(), []
    for n in range(60):
        name, noun, other = names[n % 6], NOUNS[n % 8], NOUNS[(n + 3) % 8]
        long = f"{name} saw the {noun} and the {other} in the garden."
        if n % 3 == 0:
            long = f"{name} saw the {noun} in the garden near the {other}."
        short = f"He left the {other}." if n % 2 else "He left."
        options = [long, f"The {other} and the {noun} fell." if n % 4 == 0 else short]
        rows.append({"id": str(n), "context": f"{n}.", "options": options, "gold": 0})
    path = write(tmp_path / "deep.jsonl", rows)
    done = reproduce("ending-biases.table2", [f"val={path}"]).tables["table2"].result
    found = {row.labels[1]: row for row in done.rows if row.labels[0] == "Yngve"}
    raw = found["right - wrong, paired"]
    rest = found["right - wrong, paired, length and coordination taken out"]
    assert raw.low is not None and raw.low > 0.2
    assert abs(float(rest.ours or 0)) < float(raw.ours or 0) / 3


def test_endings_that_cannot_be_parsed_leave_the_rest_of_table_2(tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "context": f"Sie _ {n}.", "options": [f"Ägypten {n}", f"Ålesund {n}"],
         "gold": n % 2}
        for n in range(30)
    ]  # fmt: skip
    path = write(tmp_path / "names.jsonl", rows)
    done = reproduce("ending-biases.table2", [f"val={path}"]).tables["table2"].result
    assert {row.labels[0] for row in done.rows} == {"tokens", "VADER"}
    assert "Yngve: not measured, since the endings do not look English" in done.notes
