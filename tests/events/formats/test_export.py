from __future__ import annotations

import csv
import xml.etree.ElementTree as tree
from pathlib import Path

import pytest

from fabula.errors import UsageError
from fabula.events.formats.export import FORMATS, export_chains
from fabula.events.formats.sources import read_chains
from fabula.events.items import Chain, Event

CHAINS = [
    Chain(
        "d<1>",
        'Jon "J" & Co\x01',
        (
            Event("arrest", "obj", {"subj": "police", "obj": "Jon"}, sentence=0, line=3),
            Event("flee", "subj", negated=True),
        ),
        source="a.txt",
    ),
    Chain("e", "Ann", (Event("go", "subj"), Event("see", "prep_in"))),
]


def test_a_process_mining_table(tmp_path: Path) -> None:
    assert export_chains(tmp_path / "log.csv", iter(CHAINS)) == 2
    with (tmp_path / "log.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["activity"] for row in rows] == [
        "arrest->obj", "not flee->subj", "go->subj", "see->prep_in",
    ]  # fmt: skip
    assert [row["order"] for row in rows] == ["1", "2", "1", "2"]
    assert rows[0]["case"] == 'd<1>/Jon "J" & Co\x01'
    assert (rows[0]["sentence"], rows[0]["line"], rows[0]["source"]) == ("0", "3", "a.txt")
    assert rows[0]["args"] == "subj=police; obj=Jon"


def test_xes(tmp_path: Path) -> None:
    assert export_chains(tmp_path / "log.xes", CHAINS) == 2
    root = tree.parse(tmp_path / "log.xes").getroot()
    space = {"x": "http://www.xes-standard.org/"}
    traces = root.findall("x:trace", space)
    assert len(traces) == 2
    names = [e.get("value") for e in traces[0].iterfind("x:event/x:string", space)
             if e.get("key") == "concept:name"]  # fmt: skip
    assert names == ["arrest->obj", "not flee->subj"]
    assert traces[0].find("x:string", space).get("value") == 'd<1>/Jon "J" & Co\ufffd'  # type: ignore[union-attr]
    assert root.find("x:classifier", space).get("keys") == "concept:name"  # type: ignore[union-attr]


def test_graphml_is_read_by_others(tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    assert export_chains(tmp_path / "g.graphml", CHAINS) == 2
    graph = networkx.read_graphml(tmp_path / "g.graphml")
    kinds = [data["kind"] for _, data in graph.nodes(data=True)]
    assert (kinds.count("entity"), kinds.count("event")) == (2, 4)
    slots = sorted(data["slot"] for _, _, data in graph.edges(data=True))
    assert slots == ["next", "next", "obj", "prep_in", "subj", "subj"]


def test_a_doubtful_name_is_marked_in_every_format(tmp_path: Path) -> None:
    """ "He may have fled": no file says that Bellini fled."""
    networkx = pytest.importorskip("networkx")
    fled = Event(
        "flee", "subj", {"subj": "Bellini"}, modality="possible", certainty=0.5,
        unsure={"subj": "he"},
    )  # fmt: skip
    for suffix in ("csv", "xes", "graphml"):
        export_chains(tmp_path / f"c.{suffix}", [Chain("d", "Bellini", (fled,))])
    with (tmp_path / "c.csv").open(newline="", encoding="utf-8") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["args"], row["standing"], row["certainty"]) == (
        "subj=he (Bellini?)", "modal", "0.50",
    )  # fmt: skip
    space = {"x": "http://www.xes-standard.org/"}
    event = tree.parse(tmp_path / "c.xes").getroot().find("x:trace/x:event", space)
    values = {child.get("key"): child.get("value") for child in event}  # type: ignore[union-attr]
    assert values["arg:subj"] == "he (Bellini?)"
    assert (values["standing"], values["certainty"]) == ("modal", "0.50")
    graph = networkx.read_graphml(tmp_path / "c.graphml")
    assert [data["certainty"] for _, _, data in graph.edges(data=True)] == [0.5]


@pytest.mark.parametrize("suffix", [s for s in FORMATS if "jsonl" in s or s == ".parquet"])
def test_chains_come_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"c{suffix}"
    export_chains(path, CHAINS)
    assert list(read_chains(path)) == CHAINS


def test_an_unknown_suffix(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        export_chains(tmp_path / "c.doc", CHAINS)


def test_nothing_half_written(tmp_path: Path) -> None:
    def failing() -> object:
        yield CHAINS[0]
        raise RuntimeError("stop")

    for name in ("a.csv", "a.xes", "a.graphml", "a.parquet", "a.jsonl"):
        with pytest.raises(RuntimeError):
            export_chains(tmp_path / name, failing())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
