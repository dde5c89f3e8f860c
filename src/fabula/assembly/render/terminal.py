"""Terminal renderer: an assembly in, rich tables that fit 80 columns out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabula.assembly.types import Assembly
from fabula.core.html import counted
from fabula.types import Narrative, Placed

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["to_terminal"]

_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
_SURE = 0.75
_MAX_TIMELINE = 40  # entries shown; JSON, Markdown and HTML have all


def to_terminal(assembly: Assembly) -> Group:
    """Stories one below another; "?" marks a sentence of low probability, "!" a corrected one.

    Of an assembly with a query only the story that answers it is shown.
    """
    from rich.console import Group
    from rich.text import Text

    # With a single source file, lines show the line number only.
    sources = {p.sentence.source for story in assembly.stories for p in story.sentences}
    one_source = len(sources) == 1
    parts: list[Any] = []
    only = assembly.found.story if assembly.found is not None else None
    if assembly.found is not None and only is None:
        parts += [Text(f"Nothing here matches “{assembly.found.query}”.", style="bold"), Text("")]
    for story in assembly.stories:
        if only is None or story.id == only:
            parts += [*_story(story, one_source), Text("")]
    if any(_mark(p) == "?" for story in assembly.stories for p in story.sentences):
        parts += [Text("? may belong to another story", style="dim"), Text("")]
    if only is None:
        parts += _contradictions(assembly, one_source)
        parts += [*_timeline(assembly), *_gaps(assembly)]
    if assembly.changes is not None:
        parts += _changes(assembly)
    parts += [Text(f"Note: {note}", style="yellow") for note in assembly.notes]
    return Group(*parts)


def _grid(*justify: Any) -> Any:
    from rich.table import Table

    table = Table.grid(padding=(0, 1))
    for kind in justify:
        table.add_column(justify=kind, overflow="fold", no_wrap=kind == "right")
    return table


def _mark(placed: Placed) -> str:
    if placed.fixed:
        return "!"
    return "" if placed.probability >= _SURE else "?"


def _colour(number: int) -> str:
    return _COLOURS[(number - 1) % len(_COLOURS)]


def _story(story: Narrative, one_source: bool) -> list[Any]:
    from rich.text import Text

    colour = _colour(story.id)
    head = Text(f"Story {story.id}", style=f"bold {colour}")
    head.append(f"  {story.title}", style="bold")
    shown = [p for p in story.sentences if p.repeat_of is None]
    repeats = len(story.sentences) - len(shown)
    count = counted(len(story.sentences), "sentence") + (
        f", {counted(repeats, 'repeat')}" if repeats else ""
    )
    head.append(f"  ({count}{', locked' if story.locked else ''})", style="dim")
    table = _grid("right", "left", "right")
    repeats_of: dict[int, list[Placed]] = {}
    for p in story.sentences:
        if p.repeat_of is not None:
            repeats_of.setdefault(p.repeat_of, []).append(p)
    for p in shown:
        mark = _mark(p)
        text = Text(p.sentence.text)
        if p.sender:
            text = Text(f"{p.sender}: ", style="dim").append_text(
                Text(p.sentence.text, style="not dim")
            )
        if p.position in repeats_of:
            again = ", ".join(_source(copy, one_source) for copy in repeats_of[p.position])
            text.append(f" (again: {again})", style="dim")
        source = Text(_source(p, one_source), style="dim")
        table.add_row(Text(f"{p.position}{mark}", style=colour), text, source)
    parts: list[Any] = [head]
    if story.actors:
        parts.append(Text("  with " + ", ".join(a.name for a in story.actors[:5]), style="dim"))
    return [*parts, table]


def _source(placed: Placed, one_source: bool) -> str:
    from fabula.assembly.render.formats import where

    return f"line {placed.sentence.line}" if one_source else where(placed)


def _contradictions(assembly: Assembly, one_source: bool) -> list[Any]:
    from rich.text import Text

    from fabula.assembly.render.formats import clashing_words, placed_at

    if not assembly.contradictions:
        return []
    parts: list[Any] = [Text("Where accounts disagree", style="bold red")]
    for contradiction in assembly.contradictions:
        topic = f"{contradiction.kind}: {contradiction.about}"
        parts.append(Text(topic, style="bold"))
        table = _grid("right", "left", "right")
        for side in contradiction.sides:
            placed = placed_at(assembly, side.story, side.position)
            words = clashing_words(side, placed)
            cell = Text(f"{words}  " if words else "", style="bold")
            cell.append(placed.sentence.text, style="not bold")
            tag = Text(f"{side.story}", style=_colour(side.story))
            table.add_row(tag, cell, Text(_source(placed, one_source), style="dim"))
        parts.append(table)
    return [*parts, Text("")]


def _timeline(assembly: Assembly) -> list[Any]:
    from rich.text import Text

    from fabula.assembly.render.formats import placed_at

    if not assembly.timeline:
        return []
    table = _grid("right", "right", "left")
    for entry in assembly.timeline[:_MAX_TIMELINE]:
        placed = placed_at(assembly, entry.story, entry.position)
        text = " ".join(placed.sentence.text.split())
        text = text if len(text) <= 60 else text[:57].rstrip() + "..."
        when = Text(("~" if entry.guessed else "") + entry.when)
        table.add_row(when, Text(str(entry.story), style=_colour(entry.story)), Text(text))
    more = len(assembly.timeline) - _MAX_TIMELINE
    rest = [Text(f"... and {more} more", style="dim")] if more > 0 else []
    return [Text("Timeline (~ partly guessed)", style="bold"), table, *rest, Text("")]


def _gaps(assembly: Assembly) -> list[Any]:
    from rich.text import Text

    if not assembly.gaps:
        return []
    lines = [
        Text(f"story {g.story}, between {g.after} and {g.before}: {g.event} ({g.actor})")
        for g in assembly.gaps
    ]
    return [Text("Gaps: what usually stands between (guesses)", style="bold"), *lines, Text("")]


def _changes(assembly: Assembly) -> list[Any]:
    from rich.text import Text

    from fabula.assembly.render.formats import describe_change

    if not assembly.changes:
        return [Text("Nothing changed."), Text("")]
    lines = [Text(describe_change(change)) for change in assembly.changes]
    return [Text("What changed", style="bold"), *lines, Text("")]
