"""A whole corpus through one process: stories, copies, updates, bad documents, the folder."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow.parquet as pq
import pytest

from fabula.assembly.corpus.api import assemble_corpus
from fabula.assembly.corpus.store import (
    documents_of,
    is_corpus,
    iterate_documents,
    read_marker,
    read_report,
    read_stories,
    vectors_of,
)
from fabula.assembly.corpus.units import Before
from fabula.errors import InputError, UsageError
from fabula.scale import Engine, Plan
from fabula.types import Document

SERIAL = Engine(name="serial")
EVENTS = {
    "ferry": [
        "The ferry Astrid ran aground off Harwich on Monday with 212 passengers aboard.",
        "Captain Ole Lindqvist said the Astrid lost power near Landguard Fort.",
        "Harwich lifeboats took 212 people off the stranded Astrid before dawn.",
        "Investigators boarded the Astrid in Harwich and took the engine log of Captain Lindqvist.",
    ],
    "mill": [
        "Fire destroyed the Pemberton textile mill in Oldham, and 40 workers lost their jobs.",
        "The Oldham fire brigade fought the blaze at the Pemberton mill for nine hours.",
        "Owner Ruth Pemberton said the Oldham mill will be rebuilt next year.",
        "Inspectors blamed a faulty dryer for the blaze that gutted the Pemberton mill in Oldham.",
    ],
    "election": [
        "Voters in Tarvania chose Mirela Kostova as president with 54 percent of the ballot.",
        "Kostova beat Prime Minister Danilo Reyk in the Tarvanian presidential run-off.",
        "Observers called the Tarvanian vote that Kostova won orderly in all provinces.",
        "Danilo Reyk conceded to Mirela Kostova hours after polls closed in Tarvania.",
    ],
}


def corpus(events: Sequence[str] = tuple(EVENTS), reports: range = range(4)) -> list[Document]:
    return [
        Document(f"{event}-{number}", (EVENTS[event][number],), source=f"{event}-{number}.txt")
        for number in reports
        for event in events
    ]


def stories_of(folder: Path) -> dict[str, int]:
    table = pq.read_table(folder / "documents.parquet", columns=["id", "story"]).to_pylist()
    return {row["id"]: row["story"] for row in table}


def by_story(found: dict[str, int]) -> set[frozenset[str]]:
    groups = defaultdict(set)
    for name, story in found.items():
        groups[story].add(name)
    return {frozenset(group) for group in groups.values()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "stories"
    assemble_corpus(corpus(), folder, engine=SERIAL)
    return folder


def test_reports_of_one_event_are_one_story(made: Path) -> None:
    found = by_story(stories_of(made))
    assert found == {frozenset(f"{e}-{n}" for n in range(4)) for e in EVENTS}


def test_the_folder_is_complete_and_the_work_is_gone(made: Path) -> None:
    assert is_corpus(made)
    assert read_marker(made)["documents"] == 12
    assert {p.name for p in made.iterdir()} == {
        "corpus.json", "documents.parquet", "stories.parquet", "index.html", "report.json", "index",
    }  # fmt: skip
    assert not made.with_name("stories.work").exists()
    report = json.loads((made / "report.json").read_text())
    assert (report["distinct"], report["copies"], report["skipped"]) == (12, 0, 0)
    names = [name for story in read_stories(made) for name in story["names"]]
    assert {"Astrid", "Oldham"} <= set(names)


def test_the_order_of_the_documents_does_not_matter(made: Path, tmp_path: Path) -> None:
    assemble_corpus(reversed(corpus()), tmp_path / "back", engine=SERIAL)
    assert by_story(stories_of(tmp_path / "back")) == by_story(stories_of(made))


def test_new_documents_join_old_stories_or_open_new_ones(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    assemble_corpus(corpus(("ferry", "mill"), range(3)), old, engine=SERIAL)
    before = stories_of(old)
    fresh = [*corpus(("ferry",), range(3, 4)), *corpus(("election",), range(3))]
    copy = Document("ferry-copy", (EVENTS["ferry"][0],), source="copy.txt")
    answer = assemble_corpus([*fresh, copy], new, engine=SERIAL, previous=old)
    after = stories_of(new)
    assert {name: after[name] for name in before} == before  # ids stay
    assert after["ferry-3"] == before["ferry-0"] == after["ferry-copy"]
    opened = {after[f"election-{n}"] for n in range(3)}
    assert len(opened) == 1
    assert not opened & set(before.values())
    changes = json.loads((new / "changes.json").read_text())
    assert [(row["new"], len(row["documents"])) for row in changes] == [(False, 2), (True, 3)]
    assert answer.report["changes"]["joined"] == 2
    assert "2 joined 1 earlier" in answer.summary()
    assert json.loads((new / "report.json").read_text())["copies"] == 1


def test_an_update_can_be_updated(tmp_path: Path) -> None:
    parts = [corpus(reports=range(n, n + 1)) for n in range(3)]
    assemble_corpus(parts[0], tmp_path / "0", engine=SERIAL)
    for n in (1, 2):
        assemble_corpus(parts[n], tmp_path / str(n), engine=SERIAL, previous=tmp_path / str(n - 1))
    assert len(stories_of(tmp_path / "2")) == 9
    numbers = pq.read_table(tmp_path / "2" / "documents.parquet", columns=["number"])
    assert numbers.column("number").to_pylist() == list(range(9))


def test_copies_are_folded_and_counted(tmp_path: Path) -> None:
    copies = [
        Document(f"copy-{n}", ("  ".join(EVENTS["mill"]),), source=f"{n}.txt") for n in range(400)
    ]
    answer = assemble_corpus([*corpus(), *copies], tmp_path / "out", engine=SERIAL)
    assert (answer.report["distinct"], answer.report["copies"]) == (13, 399)
    found = stories_of(tmp_path / "out")
    assert len({found[f"copy-{n}"] for n in range(400)}) == 1
    (largest, *_) = read_stories(tmp_path / "out")
    assert largest["copies"] == 399
    documents, _ = documents_of(tmp_path / "out", largest["story"])
    assert len(documents) == largest["documents"] - 399


def test_notices_from_one_form_are_not_copies(tmp_path: Path) -> None:
    form = "Flood warning for {0}: the river at {0} will rise until noon, and roads may close. "
    notices = [Document(place, (form.format(place) * 4,)) for place in ("Ely", "Ware", "Diss")]
    answer = assemble_corpus(notices, tmp_path / "out", engine=SERIAL)
    assert answer.report["copies"] == 0


def test_a_poisoned_document_is_set_aside(tmp_path: Path, monkeypatch: Any) -> None:
    from fabula.assembly.corpus import facts

    whole = facts.facts_of

    def poisoned(document: Document) -> dict[str, Any]:
        if document.id == "mill-2":
            raise RuntimeError("no such luck")
        return whole(document)

    monkeypatch.setattr(facts, "facts_of", poisoned)
    answer = assemble_corpus(corpus(), tmp_path / "out", engine=SERIAL)
    assert answer.report["skipped"] == 1
    assert answer.report["errors"][0]["id"] == "mill-2"
    assert "mill-2" not in stories_of(tmp_path / "out")
    assert "mill-2" in answer.summary()


def test_an_interrupted_run_goes_on(made: Path, tmp_path: Path, monkeypatch: Any) -> None:
    from fabula.assembly.corpus import api

    folder = tmp_path / "stories"

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    for name in ("_linked", "_grouped", "_write", "_finish"):
        with monkeypatch.context() as patch:
            patch.setattr(api, name, stop)
            with pytest.raises(KeyboardInterrupt):
                assemble_corpus(corpus(), folder, engine=SERIAL)
        assert not is_corpus(folder)
    assemble_corpus(corpus(), folder, engine=SERIAL)
    assert stories_of(folder) == stories_of(made)
    for name in ("documents.parquet", "stories.parquet"):
        assert (folder / name).read_bytes() == (made / name).read_bytes()


def test_a_run_stopped_after_its_last_file_is_ended(
    made: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    folder = tmp_path / "stories"
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "clear", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            assemble_corpus(corpus(), folder, engine=SERIAL)
    assert is_corpus(folder)
    assert folder.with_name("stories.work").is_dir()
    assemble_corpus(corpus(), folder, engine=SERIAL)
    assert stories_of(folder) == stories_of(made)
    assert not folder.with_name("stories.work").exists()


@pytest.mark.parametrize("content", [None, b"", b"\x93NUMPY", b"[1]"])
def test_an_index_that_is_damaged_is_refused(
    made: Path, tmp_path: Path, content: bytes | None
) -> None:
    folder = tmp_path / "stories"
    shutil.copytree(made, folder)
    files = sorted((folder / "index").iterdir())
    assert len(files) > 15
    for path in files:
        kept = path.read_bytes()
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InputError, match=rf"{path.name}: cannot be read .* anew"):
            Before.load(folder)
        path.write_bytes(kept)
    assert len(Before.load(folder)) == 12


def test_one_changed_byte_of_the_index_is_found(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stories"
    shutil.copytree(made, folder)
    path = folder / "index" / "vectors.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="changed since it was written"):
        Before.load(folder)


def test_tables_and_vectors_that_are_damaged_are_refused(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stories"
    shutil.copytree(made, folder)
    for name in ("documents.parquet", "stories.parquet"):
        data = bytearray((folder / name).read_bytes())
        data[4:-8] = data[4:-8][::-1]
        (folder / name).write_bytes(data)
    with pytest.raises(InputError, match="documents"):
        documents_of(folder, 1)
    with pytest.raises(InputError, match="documents"):
        list(iterate_documents(folder))
    with pytest.raises(InputError, match="stories"):
        read_stories(folder)
    for array in (np.zeros(3), np.zeros((3, 384), np.float16)):
        np.save(folder / "index" / "vectors.npy", array)
        with pytest.raises(InputError, match="its shape is"):
            vectors_of(folder, [0, 11])
    (folder / "report.json").write_text("[1]")
    with pytest.raises(InputError, match="no report of a corpus"):
        read_report(folder)


@pytest.mark.parametrize("day", [None, "2024-05-03"])
def test_dates_missing_or_all_equal(made: Path, tmp_path: Path, day: str | None) -> None:
    dated = [
        Document(document.id, document.paragraphs, source=document.source, date=day)
        for document in corpus()
    ]
    assemble_corpus(dated, tmp_path / "out", engine=SERIAL)
    assert by_story(stories_of(tmp_path / "out")) == by_story(stories_of(made))


def test_bad_folders(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds an assembled corpus"):
        assemble_corpus(corpus(), made, engine=SERIAL)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds other files"):
        assemble_corpus(corpus(), tmp_path / "mine", engine=SERIAL)
    with pytest.raises(InputError, match="no folder of an assembled corpus"):
        assemble_corpus(corpus(), tmp_path / "a", engine=SERIAL, previous=tmp_path / "mine")
    with pytest.raises(InputError, match="no document"):
        assemble_corpus([], tmp_path / "b", engine=SERIAL)
    with pytest.raises(UsageError, match="has no story 99"):
        documents_of(made, 99)
    assert not (tmp_path / "b").exists()


def test_text_of_strangers_is_escaped(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    document = Document("x", (f"{evil} was said in Harwich.",), title=evil, source=evil)
    assemble_corpus([document], tmp_path / "<b>evil", engine=SERIAL)
    page = (tmp_path / "<b>evil" / "index.html").read_text()
    assert page.count("<script>") == 1
    assert "<b>evil" not in page


def test_vectors_of_the_index_have_unit_length(made: Path) -> None:
    vectors = np.load(made / "index" / "vectors.npy", allow_pickle=False).astype(np.float32)
    assert vectors.shape[0] == 12
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-2)
