"""An assembly in a notebook: rows of a frame, and a compact page, all text escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from fabula.answer import html_table
from fabula.assembly.render.formats import placed_at, told_by, where
from fabula.assembly.types import Assembly

__all__ = ["rows", "to_notebook"]


def rows(assembly: Assembly) -> Iterator[dict[str, Any]]:
    """A row for each sentence, story by story and in order."""
    for story in assembly.stories:
        for placed in story.sentences:
            yield {
                "story": story.id,
                "title": story.title,
                "position": placed.position,
                "text": placed.sentence.text,
                "when": placed.when,
                "probability": placed.probability,
                "document": placed.sentence.document,
                "source": placed.sentence.source,
                "line": placed.sentence.line,
                "sender": placed.sender,
                "repeat_of": placed.repeat_of,
                "id": placed.id,
            }


def to_notebook(assembly: Assembly) -> str:
    """The stories as numbered lists, the contradictions as a table, the notes."""
    return f"<div>{''.join(_parts(assembly))}</div>"


def _parts(assembly: Assembly) -> Iterator[str]:
    for story in assembly.stories:
        yield f"<h4>Story {story.id}: {html.escape(story.title)}</h4><ol>"
        for placed in story.sentences:
            said = f"{where(placed)}, {placed.probability:.0%}"
            when = f"<b>{html.escape(placed.when)}</b> " if placed.when else ""
            text = html.escape(placed.sentence.text)
            yield f"<li>{when}{text} <small>({html.escape(said)})</small></li>"
        yield "</ol>"
    if assembly.contradictions:
        yield "<h4>Contradictions</h4>"
        yield html_table(
            {
                "about": f"{found.kind}: {found.about}",
                "relation": found.relation,
                "one": _side(assembly, 0, found),
                "other": _side(assembly, 1, found),
            }
            for found in assembly.contradictions
        )
    yield from (f"<p><small>{html.escape(note)}</small></p>" for note in assembly.notes)


def _side(assembly: Assembly, number: int, found: Any) -> str:
    side = found.sides[number]
    placed = placed_at(assembly, side.story, side.position)
    return f"{placed.sentence.text} ({told_by(side, placed)})"
