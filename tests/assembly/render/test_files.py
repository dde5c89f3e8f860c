"""Files of an assembly by their suffix, and Markdown that Obsidian and static sites read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from fabula.assembly import Assembly
from fabula.assembly.account.timeline import TimelineEntry
from fabula.assembly.render.files import SUFFIXES, write_assembly
from fabula.assembly.render.graph_files import to_actors_csv, to_events_csv
from fabula.assembly.render.markdown_file import to_markdown_file
from fabula.errors import UsageError
from fabula.text.io.documents import read_documents
from fabula.types import Actor, Deed, Narrative, Placed, Sentence

TEXTS = (
    "- Ann & Ben paid $5-$6 <b>there</b> ==at once== %%now%% ~~no~~.",
    "{{ site.secret }} {% include x %} <script>alert(1)</script> [[note]] #tag ^block",
    "2. =SUM(A1) was sung by Ann.",
)


def _assembly() -> Assembly:
    placed = tuple(
        Placed(Sentence(text, 'a "b".txt', place), place, 0.9, f"x{place}", when="1999-05-03")
        for place, text in enumerate(TEXTS, 1)
    )
    actors = (Actor("Ann", (1, 3), "person", ("=Ms Vane", "A.")), Actor("Ben", (1,), "person"))
    deeds = (
        Deed(1, "pay", "Ann", "Ben", doer="Ann", undergoer="Ben"),
        Deed(3, "sing", "Ann", negated=True, standing="negated", doer="Ann"),
    )
    story = Narrative(1, 'Ann: "<i>"\x85 and\u2028Ben\x07', placed, actors=actors, deeds=deeds)
    entries = (
        TimelineEntry("3 May 1999", 1, 1, False, (0, 1, 1), "1999-05-03", "told"),
        TimelineEntry("1990", 1, 2, True, (0, 2, 2), "1990?", "guess"),
        TimelineEntry("June", 1, 3, False, (0, 3, 3), "1999-06/1999-07", "told"),
    )
    return Assembly((story,), ("A note.", "Another."), timeline=entries)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_each_suffix_is_written_and_the_empty_assembly_too(suffix: str, tmp_path: Path) -> None:
    if suffix == ".docx":
        pytest.importorskip("docx")
    for name, assembly in (("full", _assembly()), ("empty", Assembly(()))):
        written = assembly.save(tmp_path / f"{name}{suffix}")
        assert written.stat().st_size > 0 or name == "empty"
        if suffix.endswith("json"):
            for line in written.read_text().splitlines() if suffix == ".ftm.json" else [""]:
                json.loads(line or written.read_text())


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.actors\.csv, \.docx"):
        write_assembly(_assembly(), tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())


def test_front_matter_is_yaml_on_lines_of_its_own() -> None:
    text = to_markdown_file(_assembly())
    _, front, body = text.split("---\n", 2)
    values = [line.partition("- ")[2] for line in front.splitlines() if line.startswith("  - ")]
    assert [json.loads(value) for value in values] == [
        'Ann: "<i>" and Ben\ufffd', "Ann", "Ben", 'a "b".txt',
    ]  # fmt: skip
    assert 'first: "1999-05-03"\nlast: "1999-07"\n' in front  # a guess counts for nothing
    assert body.startswith("\n## Story 1: ")
    yaml = pytest.importorskip("yaml", reason="pip install pyyaml")
    assert yaml.safe_load(front)["actors"] == ["Ann", "Ben"]


def test_text_is_text_for_markdown_obsidian_and_site_generators() -> None:
    body = to_markdown_file(_assembly()).split("---\n", 2)[2]
    parsed = MarkdownIt("commonmark", {"html": True}).parse(body)
    tokens = [child for token in parsed for child in (token, *(token.children or ()))]
    assert not [t for t in tokens if t.type.startswith(("html", "link", "image"))]
    shown = "".join(t.content for t in tokens if t.type == "text" or t.type == "text_special")
    assert all(text in shown for text in TEXTS)  # and no list inside a list
    for command in ("{{", "{%", "==", "%%", "~~", "[[", "$5"):
        assert command not in body.replace(f"\\{command}", "")
    assert body.count("\n>\n") == 1  # notes are paragraphs of one quotation


def test_our_own_reader_reads_the_markdown(tmp_path: Path) -> None:
    path = _assembly().save(tmp_path / "a.md")
    (document,) = read_documents(str(path))
    assert "What happened" in (document.title or "") and "title:" not in document.text


def test_csv_of_actors_and_events_fit_together() -> None:
    actors = list(csv.DictReader(io.StringIO(to_actors_csv(_assembly()))))
    events = list(csv.DictReader(io.StringIO(to_events_csv(_assembly()))))
    assert [(a["id"], a["name"], a["does"], a["undergoes"]) for a in actors] == [
        ("s1-a1", "Ann", "2", "0"),
        ("s1-a2", "Ben", "0", "1"),
    ]
    assert [(e["doer_id"], e["undergoer_id"], e["negated"]) for e in events] == [
        ("s1-a1", "s1-a2", "no"),
        ("s1-a1", "", "yes"),
    ]
    assert actors[0]["aliases"] == "'=Ms Vane; A."  # no formula
    assert events[0]["date"] == "1999-05-03" and events[0]["text"] == f"'{TEXTS[0]}"
