"""The corpus commands with --engine: what they write is what one process writes.

The engine here is this process, so that the commands are tested without daft; the real ones are in
``tests/scale/test_engines.py``.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.scale.storage import StorageFolder
from fabula.text.io.documents import read_documents
from fabula.text.io.records import write_records


def fabula(*line: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in line])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Six documents and a row that is none."""
    path = tmp_path / "corpus.jsonl"
    some = islice(read_documents("sample"), 6)
    write_records(path, [{"id": d.id, "text": d.text, "category": d.category} for d in some])
    return path


def same(tmp_path: Path, command: str, corpus: Path, *options: str) -> dict[str, Any]:
    """Run a command both ways; the report of the run on an engine."""
    fabula("build", command, corpus, "-o", tmp_path / "alone.jsonl", *options)
    line = ("build", command, corpus, "-o", tmp_path / "shards.jsonl")
    done = fabula(*line, *options, "--engine", "serial", "--json")
    names = [path.name for path in tmp_path.glob("alone*.jsonl")]
    assert names
    for name in names:
        other = tmp_path / name.replace("alone", "shards")
        assert (tmp_path / name).read_bytes() == other.read_bytes()
    assert not (tmp_path / "shards.jsonl.work").exists()
    report: dict[str, Any] = json.loads(done.stdout)["run"]
    assert report == json.loads((tmp_path / "shards.run.meta.json").read_text())
    return report


def test_ordering(tmp_path: Path, corpus: Path) -> None:
    report = same(tmp_path, "ordering", corpus, "--window", "5-8", "--split", "80/20")
    assert report["documents"] == 6 and report["skipped"] == 0
    assert report["seconds"].keys() == {"read", "texts"}


def test_a_split_by_date_keeps_documents_whole(tmp_path: Path, corpus: Path) -> None:
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    write_records(corpus, [{**r, "date": f"2020-01-0{n}"} for n, r in enumerate(rows, 1)])
    same(tmp_path, "ordering", corpus, "--window", "3-4", "--split", "date:70/30")
    sides = [
        {json.loads(line)["id"].partition("#")[0] for line in path.read_text().splitlines()}
        for path in tmp_path.glob("shards.t*.jsonl")
    ]
    assert len(sides) == 2 and all(sides) and not sides[0] & sides[1]


def test_salads(tmp_path: Path, corpus: Path) -> None:
    report = same(tmp_path, "salads", corpus, "--n", "9", "--recipe", "hardest")
    assert report["seconds"].keys() == {"read", "sources", "topics"}


@pytest.mark.parametrize(
    "options",
    [
        ("--n", "9", "--cosine"),
        ("--n", "5", "--recipe", "same-category"),
        ("--n", "5", "--form", "events", "--documents", "2-3"),
    ],
)
def test_salads_of_every_kind(tmp_path: Path, corpus: Path, options: tuple[str, ...]) -> None:
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    long = [{**row, "text": row["text"] * 2, "category": "all"} for row in rows]
    write_records(corpus, long)
    same(tmp_path, "salads", corpus, *options)


def test_fewer_texts_than_there_are(tmp_path: Path, corpus: Path) -> None:
    same(tmp_path, "ordering", corpus, "--window", "2-3", "--n", "4")


def test_chains_and_counts(tmp_path: Path, corpus: Path) -> None:
    report = same(tmp_path, "chains", corpus, "--split", "80/20")
    assert report["tokens"] > 500 and report["chains"] > 10
    engine = ("--engine", "serial")
    fabula("build", "chains", corpus, "-o", tmp_path / "c.shards", *engine)
    fabula("build", "chains", corpus, "-o", tmp_path / "c.jsonl")
    fabula("build", "counts", tmp_path / "c.jsonl", "-o", tmp_path / "one")
    fabula("build", "counts", tmp_path / "c.jsonl", "-o", tmp_path / "two", *engine)
    fabula("build", "counts", tmp_path / "c.shards", "-o", tmp_path / "three", *engine)
    fabula("build", "counts", corpus, "-o", tmp_path / "four", *engine)
    fabula("build", "counts", corpus, "-o", tmp_path / "five")
    assert not list(tmp_path.glob("*.work"))
    stores = [
        {path.name.partition("-")[0]: path.read_bytes() for path in (tmp_path / name).glob("*-*")}
        for name in ("one", "two", "three", "four", "five")
    ]
    assert all(store == stores[0] for store in stores) and len(stores[0]) > 5
    other = corpus.with_name("other.jsonl")
    write_records(other, [{"id": "x", "text": "Ann left. She came back."}])
    done = fabula("build", "chains", other, "-o", tmp_path / "c.shards", *engine, code=2)
    assert "holds the shards of another run" in done.output


def test_a_malformed_row_does_not_stop_a_run(tmp_path: Path, corpus: Path) -> None:
    corpus.write_text("not JSON\n" + corpus.read_text())
    line = ("build", "ordering", corpus, "-o", tmp_path / "x.jsonl")
    fabula(*line, code=2)
    done = fabula(*line, "--engine", "serial")
    assert "skipped 1" in done.output and "engine serial: 6 documents" in done.output


def test_no_document_at_all(tmp_path: Path, corpus: Path) -> None:
    corpus.write_text("not JSON\n")
    line = ("build", "ordering", corpus, "-o", tmp_path / "x.jsonl", "--engine", "serial")
    assert "there is no document to be read" in fabula(*line, code=2).output
    assert not (tmp_path / "x.jsonl").exists() and not (tmp_path / "x.jsonl.work").exists()


@pytest.mark.parametrize("inside", [".", "mine", "x.jsonl.work"])
def test_a_work_folder_with_files_of_the_user_is_refused(
    tmp_path: Path, corpus: Path, inside: str
) -> None:
    folder = tmp_path / "home" / inside
    (folder / "photos").mkdir(parents=True)
    (folder / "photos" / "one.jpg").write_bytes(b"a picture")
    (folder / "thesis.txt").write_text("ten years")
    before = {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}
    line = ("build", "ordering", corpus, "-o", tmp_path / "x.jsonl", "--engine", "serial")
    fabula(*line, "--work", folder, code=2)
    assert {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")} == before


def test_urls_in_and_out(tmp_path: Path, corpus: Path) -> None:
    pytest.importorskip("fsspec")
    StorageFolder("memory://cli").put("corpus.jsonl", corpus.read_bytes())
    line = ("build", "ordering", "memory://cli/corpus.jsonl", "-o", "memory://cli/x.jsonl")
    assert "written to memory://cli/x.jsonl" in fabula(*line).output
    fabula(*line[:-1], "memory://cli/y.jsonl", "--engine", "serial", "--work", tmp_path / "work")
    storage = StorageFolder("memory://cli")
    assert storage.get("x.jsonl") == storage.get("y.jsonl") is not None
    assert {"x.meta.json", "y.meta.json", "y.run.meta.json"} <= set(storage.names())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "2"], "are for --engine native or ray"),
        (["--engine", "spark"], "unknown engine 'spark'"),
        (["--engine", "native", "--address", "ray://x:1"], "--address is for --engine ray"),
    ],
)
def test_wrong_engines(tmp_path: Path, corpus: Path, options: list[str], said: str) -> None:
    line = ("build", "ordering", corpus, "-o", tmp_path / "x.jsonl")
    assert said in fabula(*line, *options, code=2).output
    assert not (tmp_path / "x.jsonl").exists() and not (tmp_path / "x.jsonl.work").exists()


def test_shards_are_for_engines(tmp_path: Path, corpus: Path) -> None:
    done = fabula("build", "chains", corpus, "-o", tmp_path / "x.shards", code=2)
    assert "shards are for --engine" in done.output
