"""A Word report: an assembly in, a .docx file out, by python-docx."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fabula.assembly.render.formats import (
    describe_change,
    placed_at,
    remarks,
    replies,
    told_by,
    undated_lines,
    where,
)
from fabula.assembly.types import Assembly
from fabula.errors import MissingPart

__all__ = ["write_docx"]

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_docx(assembly: Assembly, path: Path, title: str = "What happened") -> None:
    """Write the stories, tables of contradictions and timeline, changes and notes."""
    try:
        from docx import Document
    except ImportError as error:
        raise MissingPart("python-docx", 'pip install "fabula[office]"') from error
    document = Document()
    properties, now = document.core_properties, datetime.now(UTC).replace(tzinfo=None)
    properties.title, properties.author = _text(title)[:255], "fabula"
    properties.created = properties.modified = now  # the template's are of 2013
    document.add_heading(_text(title), 0)
    for story in assembly.stories:
        document.add_heading(_text(f"{story.id}. {story.title}"), 1)
        if story.actors:
            document.add_paragraph(_text("Actors: " + ", ".join(a.name for a in story.actors)))
        answers = replies(story)
        for placed in story.sentences:
            arrow = f" ↳ {answers[placed.position]}" if placed.position in answers else ""
            said = f"{placed.sender}{arrow}: " if placed.sender else ""
            text = _text(f"{said}{placed.sentence.text}")
            line = document.add_paragraph(f"{placed.position}. {text} ")
            when = f"{placed.when}, " if placed.when else ""
            source = f"({when}{where(placed)}, {placed.probability:.0%}{remarks(placed)})"
            line.add_run(_text(source)).italic = True
    if assembly.contradictions:
        document.add_heading("Contradictions", 1)
        rows = []
        for found in assembly.contradictions:
            sides = [(s, placed_at(assembly, s.story, s.position)) for s in found.sides]
            texts = [f"{placed.sentence.text} ({told_by(s, placed)})" for s, placed in sides]
            rows.append([f"{found.kind}: {found.about}", found.relation, *texts])
        _table(document, ["about", "relation", "one says", "another says"], rows)
    if assembly.timeline:
        document.add_heading("Timeline", 1)
        rows = [
            [
                f"~{entry.when}" if entry.guessed else entry.when,
                str(entry.story),
                placed_at(assembly, entry.story, entry.position).sentence.text,
            ]
            for entry in assembly.timeline
        ]
        _table(document, ["when", "story", "what"], rows)
    _listed(document, "Without a date", undated_lines(assembly))
    _listed(document, "What changed", [describe_change(c) for c in assembly.changes or ()])
    for note in assembly.notes:
        document.add_paragraph(_text(note))
    document.save(str(path))


def _listed(document: Any, heading: str, lines: list[str]) -> None:
    if lines:
        document.add_heading(heading, 1)
    for line in lines:
        document.add_paragraph(_text(line), style="List Bullet")


def _table(document: Any, head: list[str], rows: list[list[str]]) -> None:
    table = document.add_table(rows=1, cols=len(head), style="Table Grid")
    for cells, texts in [(table.rows[0].cells, head), *((None, row) for row in rows)]:
        for cell, text in zip(cells or table.add_row().cells, texts, strict=True):
            cell.text = _text(text)


def _text(text: str) -> str:
    return _NO_XML.sub("\ufffd", " ".join(text.split()))
