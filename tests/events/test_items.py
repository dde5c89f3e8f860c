from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InputError
from fabula.events.formats.sources import read_chains
from fabula.events.items import Chain, Event, write_chains

CHAIN = Chain(
    "trial",
    "Jon",
    (
        Event("arrest", "obj", {"subj": "the police", "obj": "Jon"}, sentence=0, line=1),
        Event("escape", "subj", {"subj": "Jon"}, sentence=0, line=1, negated=True),
        Event("flee", "subj"),
    ),
    source="trial.txt",
)


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.parquet", "c.ndjson"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    chains = [CHAIN, Chain("a", "b", (Event("x", "prep_in", {"prep_in": "é"}),))]
    assert write_chains(tmp_path / name, iter(chains)) == 2
    assert list(read_chains(tmp_path / name)) == chains
    assert list(read_chains(tmp_path / name, least=2)) == [CHAIN]


word = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)
event = st.builds(
    Event,
    word,
    word,
    st.none() | st.dictionaries(word, word, max_size=3),
    st.none() | st.integers(0, 99),
    st.none() | st.integers(1, 99),
    st.booleans(),
)


@given(
    st.lists(
        st.builds(Chain, word, word, st.lists(event, min_size=1, max_size=3).map(tuple)), max_size=3
    )
)
def test_any_chain_comes_back(
    tmp_path_factory: pytest.TempPathFactory, chains: list[Chain]
) -> None:
    folder = tmp_path_factory.mktemp("chains")
    for name in ("c.jsonl", "c.parquet"):
        write_chains(folder / name, chains)
        assert list(read_chains(folder / name)) == chains


def test_a_meta_file_stands_beside(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.jsonl"):
        write_chains(tmp_path / name, [CHAIN], meta={"task": "events"})
    assert json.loads((tmp_path / "a.meta.json").read_text()) == {"task": "events"}
    assert json.loads((tmp_path / "b.meta.json").read_text()) == {"task": "events"}


def test_a_parquet_struct_of_another_program(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    rows = [
        {"document": "d", "entity": "e", "events": [{"verb": "go", "slot": "subj", "args": a}]}
        for a in ({"subj": "e"}, {"prep_to": "x"})
    ]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    found = [chain.events[0].args for chain in read_chains(tmp_path / "c.parquet")]
    assert found == [{"subj": "e"}, {"prep_to": "x"}]


NACHOS = (
    "<DOCNAME>A\n<UUID>1-2\narrest->dobj flee->nsubj \ndine->prep_at\n\n<DOCNAME>B\ngo->nsubj\n"
)


@pytest.mark.parametrize("name", ["chains", "chains.gz", "chains.txt", "n.nachos"])
def test_nachos_text(tmp_path: Path, name: str) -> None:
    data = NACHOS.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert list(read_chains(tmp_path / name)) == [
        Chain("A", "1", (Event("arrest", "dobj"), Event("flee", "nsubj"))),
        Chain("A", "2", (Event("dine", "prep_at"),)),
        Chain("B", "1", (Event("go", "nsubj"),)),
    ]
    assert [chain.document for chain in read_chains(tmp_path / name, least=2)] == ["A"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("go->nsubj\n", 1, "before any <DOCNAME>"),
        ("<DOCNAME>A\ngo->nsubj went\n", 2, "'went' is no event"),
        ("<DOCNAME>A\n->nsubj\n", 2, "is no event"),
        ("<DOCNAME>\n", 1, "without a name"),
        ("<DOCNAME>A\n<WHAT>\n", 2, "expected"),
    ],
)
def test_a_wrong_nachos_line_is_named(tmp_path: Path, text: str, line: int, problem: str) -> None:
    path = tmp_path / "chains"
    path.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        list(read_chains(path))
    assert (caught.value.path, caught.value.line) == (path, line) or str(path) in str(caught.value)
    assert caught.value.line == line


GOOD = {"verb": "go", "slot": "subj"}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"entity": "e", "events": []}, "'document' is missing"),
        ({"document": "d", "entity": "", "events": []}, "'entity' must be a name"),
        ({"document": "d", "entity": "e", "events": {}}, "'events' must be a list"),
        ({"document": "d", "entity": "e", "events": ["go"]}, "must be an object"),
        ({"document": "d", "entity": "e", "events": [{"verb": "go"}]}, "'slot' must be a word"),
        ({"document": "d", "entity": "e", "events": [GOOD | {"args": [1]}]}, "'args' must map"),
        ({"document": "d", "entity": "e", "events": [GOOD | {"sentence": -1}]}, "from 0"),
        ({"document": "d", "entity": "e", "events": [GOOD | {"line": "7"}]}, "from 1"),
        ({"document": "d", "entity": "e", "events": [GOOD | {"negated": "no"}]}, "true or false"),
        ({"document": "d", "entity": "e", "events": [], "source": 3}, "'source' must be"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: dict[str, object], problem: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps(CHAIN.to_row()) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(InputError, match=problem) as caught:
        list(read_chains(path))
    assert caught.value.line == 2


def test_extra_columns_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps(CHAIN.to_row() | {"genre": "news"}) + "\n")
    chain = next(read_chains(path))
    assert chain.extra == {"genre": "news"}
    assert chain.to_row()["genre"] == "news"


def test_single_argument_events_are_equal() -> None:
    assert {event.single for event in CHAIN.events} == {
        Event("arrest", "obj"),
        Event("escape", "subj"),
        Event("flee", "subj"),
    }
