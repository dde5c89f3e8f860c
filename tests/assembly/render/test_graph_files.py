"""Files of actors and events, read back by the programs they are for."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import networkx
import pytest

from fabula.assembly import Assembly
from fabula.assembly.render.docx_file import write_docx
from fabula.assembly.render.graph_files import (
    to_actors_csv,
    to_events_csv,
    to_ftm,
    to_graphml,
    to_jsonld,
)
from fabula.types import Actor, Deed, Narrative, Placed, Sentence


def _assembly() -> Assembly:
    text = "Ann\x01 left <b>Rome</b> on 3 May 1999."
    placed = Placed(Sentence(text, "a.txt", 4), 1, 0.9, id="x1", when="1999-05-03")
    guess = Placed(Sentence("She sang.", "a.txt", 5), 2, 0.9, id="x2", when="1999-05?")
    actors = (Actor("Ann", (1, 2), "person", ("Ms Vane",)), Actor("Rome", (1,), "place"))
    deeds = (
        Deed(1, "leave", "Ann", "Rome", doer="Ann", undergoer="Rome"),
        Deed(2, "sing", "Ann", doer="Ann"),
    )
    story = Narrative(1, "Ann & Rome", (placed, guess), actors=actors, deeds=deeds)
    return Assembly((story,), notes=("A note.",))


def test_networkx_reads_the_graphml() -> None:
    graph = networkx.read_graphml(io.BytesIO(to_graphml(_assembly()).encode()))
    kinds = sorted(data["kind"] for _, data in graph.nodes(data=True))
    assert kinds == ["event", "event", "person", "place"]
    roles = {(a, b): data["role"] for a, b, data in graph.edges(data=True)}
    assert roles == {
        ("s1-a1", "s1-e1"): "doer",
        ("s1-a2", "s1-e1"): "undergoer",
        ("s1-a1", "s1-e2"): "doer",
    }
    assert "\x01" not in graph.nodes["s1-e1"]["text"] and "<b>" in graph.nodes["s1-e1"]["text"]


def test_a_doubtful_doer_is_marked_or_left_out() -> None:
    """ "he (Bo?) stole it" must not say in any file that Bo stole it."""
    (story,) = _assembly().stories
    deeds = (
        Deed(1, "steal", "he (Ann?)", "Rome", doer="Ann", undergoer="Rome", certain=False),
        Deed(2, "see", "Rome", "(Ann?)", doer="Rome", undergoer="Ann", certain=False),
    )
    assembly = Assembly((replace(story, deeds=deeds),))
    graph = networkx.read_graphml(io.BytesIO(to_graphml(assembly).encode()))
    roles = {(a, b): data["role"] for a, b, data in graph.edges(data=True)}
    assert roles["s1-a1", "s1-e1"] == "perhaps doer"
    assert roles["s1-a1", "s1-e2"] == "perhaps undergoer"
    assert roles["s1-a2", "s1-e1"] == "undergoer"
    linked = [
        e.get("actor") for e in json.loads(to_jsonld(assembly))["@graph"] if "superEvent" in e
    ]
    assert linked == [[{"@id": "#s1-a2"}], [{"@id": "#s1-a2"}]]
    events = [json.loads(line)["properties"] for line in to_ftm(assembly).splitlines()[2:]]
    assert not any("involved" in event for event in events)  # Rome is a place
    (ann, _) = csv.DictReader(io.StringIO(to_actors_csv(assembly)))
    assert (ann["does"], ann["undergoes"]) == ("0", "0")
    first, second = csv.DictReader(io.StringIO(to_events_csv(assembly)))
    assert (first["doer_id"], second["undergoer_id"]) == ("", "")


def test_json_ld_links_what_it_names() -> None:
    data = json.loads(to_jsonld(_assembly()))
    ids = {entry["@id"] for entry in data["@graph"]}
    events = [entry for entry in data["@graph"] if "superEvent" in entry]
    assert [event.get("startDate") for event in events] == ["1999-05-03", None]
    assert all(actor["@id"] in ids for event in events for actor in event["actor"])


def test_follow_the_money_takes_the_entities() -> None:
    lines = [json.loads(line) for line in to_ftm(_assembly()).splitlines()]
    assert [line["schema"] for line in lines] == ["Person", "Address", "Event", "Event"]
    model = pytest.importorskip("followthemoney", reason="pip install followthemoney").model
    for line in lines:
        entity = model.get_proxy(line, cleaned=False)
        assert entity.schema.name == line["schema"]
        for name, values in line["properties"].items():
            assert len(entity.get(name)) == len(values), name


def test_python_docx_reads_the_report_back(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    write_docx(_assembly(), tmp_path / "a.docx")
    texts = [paragraph.text for paragraph in docx.Document(str(tmp_path / "a.docx")).paragraphs]
    assert "1. Ann & Rome" in texts and "A note." in texts
    assert any("<b>Rome</b>" in text and "a.txt:4" in text for text in texts)
