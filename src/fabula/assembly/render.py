"""An assembly as JSON, Markdown, terminal text or one self-contained page."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from fabula.assembly import Assembly
from fabula.types import Placed

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["to_html", "to_json", "to_markdown", "to_terminal"]

_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")


def where(placed: Placed) -> str:
    """``file:line``, as editors and compilers write it."""
    return f"{placed.sentence.source or 'text'}:{placed.sentence.line}"


def to_json(assembly: Assembly) -> dict[str, Any]:
    """The documented form. Actors, events, contradictions and gaps are empty lists as yet."""
    return {
        "stories": [
            {
                "id": story.id,
                "title": story.title,
                "order_confidence": round(story.order_confidence, 4),
                "sentences": [
                    {
                        "text": placed.sentence.text,
                        "source": placed.sentence.source,
                        "line": placed.sentence.line,
                        "position": placed.position,
                        "probability": round(placed.probability, 4),
                    }
                    for placed in story.sentences
                ],
                "actors": [],
                "events": [],
            }
            for story in assembly.stories
        ],
        "contradictions": [],
        "gaps": [],
        "notes": list(assembly.notes),
    }


def to_markdown(assembly: Assembly) -> str:
    lines = []
    for story in assembly.stories:
        lines += [f"## Story {story.id}: {_plain(story.title)}", ""]
        lines += [
            f"{p.position}. {_plain(p.sentence.text)} _({_plain(where(p))}, {p.probability:.0%})_"
            for p in story.sentences
        ]
        lines.append("")
    lines += [f"> {_plain(note)}" for note in assembly.notes]
    return "\n".join(lines).rstrip() + "\n"


def _plain(text: str) -> str:
    """Text that stays text in Markdown: marks escaped, HTML shown as written, one line."""
    flat = " ".join(text.split()).replace("\\", "\\\\")
    for mark in "`*_[]#|":
        flat = flat.replace(mark, f"\\{mark}")
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def to_terminal(assembly: Assembly) -> Group:
    """Stories one under another; faint sentences are those least sure to belong."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    # When everything comes from one file its name is said once, not on every line.
    sources = {p.sentence.source for story in assembly.stories for p in story.sentences}
    for story in assembly.stories:
        colour = _COLOURS[(story.id - 1) % len(_COLOURS)]
        head = Text(f"Story {story.id}", style=f"bold {colour}")
        head.append(f"  {story.title}", style="bold")
        head.append(f"  ({len(story.sentences)} sentences)", style="dim")
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", style=colour, no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(justify="right", style="dim", no_wrap=True)
        for p in story.sentences:
            place = f"line {p.sentence.line}" if len(sources) == 1 else where(p)
            sure = "" if p.probability >= 0.75 else "?"
            table.add_row(f"{p.position}{sure}", Text(p.sentence.text), place)
        parts += [head, table, Text("")]
    parts += [Text(f"Note: {note}", style="yellow") for note in assembly.notes]
    return Group(*parts)


def to_html(assembly: Assembly, *, title: str = "What happened", score: str | None = None) -> str:
    """One page with nothing outside it: styles inline, no script, text escaped."""
    from jinja2 import Environment

    source = resources.files("fabula.assembly").joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    sources = {p.sentence.source for story in assembly.stories for p in story.sentences}
    return environment.from_string(source).render(
        title=title,
        stories=assembly.stories,
        notes=assembly.notes,
        score=score,
        where=where,
        # From one file, its name is said once, at the top.
        only_source=sources.pop() if len(sources) == 1 else None,
    )
