"""Terminal renderer: an assembly in, rich tables that fit 80 columns out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fabula.assembly.render.formats import (
    clashing_words,
    describe_change,
    earlier_than,
    placed_at,
    replies,
    short_names,
)
from fabula.assembly.types import Assembly
from fabula.core.html import counted
from fabula.types import Narrative, Placed

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["to_terminal"]

_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
_SURE = 0.75
_LONGEST_SOURCE = 5  # characters of a letter and a line; without a minimum they are cut
_MAX_TIMELINE = 40  # entries shown; JSON, Markdown and HTML have all


def to_terminal(assembly: Assembly) -> Group:
    """Stories one below another; "?" marks a sentence of low probability, "!" a corrected one.

    Of an assembly with a query only the story that answers it is shown.
    """
    from rich.console import Group
    from rich.text import Text

    letters = _letters(assembly)
    parts: list[Any] = []
    only = assembly.found.story if assembly.found is not None else None
    if assembly.found is not None and only is None:
        parts += [Text(f"Nothing here matches “{assembly.found.query}”.", style="bold"), Text("")]
    for story in assembly.stories:
        if only is None or story.id == only:
            parts += [*_story(story, letters), Text("")]
    if any(_mark(p) == "?" for story in assembly.stories for p in story.sentences):
        parts += [Text("? may belong to another story", style="dim"), Text("")]
    if any(earlier_than(p) for story in assembly.stories for p in story.sentences):
        parts += [Text("≈ may have happened before what stands above it", style="dim"), Text("")]
    if any(replies(story) for story in assembly.stories):
        parts += [Text("↳ answers the message of that number", style="dim"), Text("")]
    if only is None:
        parts += _contradictions(assembly, letters)
        parts += [*_timeline(assembly), *_undated(assembly)]
    if assembly.changes is not None:
        parts += _changes(assembly)
    parts += [Text(f"Note: {note}", style="yellow") for note in assembly.notes]
    return Group(*parts)


def _grid(*justify: Any) -> Any:
    from rich.table import Table

    table = Table.grid(padding=(0, 1))
    for kind in justify:
        table.add_column(justify=kind, overflow="fold", no_wrap=kind == "right")
    if len(justify) > 1 and justify[-1] == "right":
        table.columns[-1].min_width = _LONGEST_SOURCE
    return table


def _one_line(placed: Placed) -> str:
    """A sentence as it is shown: the line breaks of its file (a mail's wraps) are spaces."""
    return " ".join(placed.sentence.text.split())


def _mark(placed: Placed) -> str:
    if placed.fixed:
        return "!"
    return "" if placed.probability >= _SURE else "?"


def _colour(number: int) -> str:
    return _COLOURS[(number - 1) % len(_COLOURS)]


def _letters(assembly: Assembly) -> dict[str | None, str]:
    """A letter for each source file, in the order of the stories; none for a single file."""
    sources = dict.fromkeys(p.sentence.source for s in assembly.stories for p in s.sentences)
    if len(sources) == 1:
        return {}
    return {source: _letter(number) for number, source in enumerate(sources)}


def _letter(number: int) -> str:
    """A to Z, then AA, AB and so on.

    >>> _letter(0), _letter(27)
    ('A', 'AB')
    """
    rest, last = divmod(number, 26)
    return (_letter(rest - 1) if rest else "") + chr(ord("A") + last)


def _legend(story: Narrative, letters: Mapping[str | None, str]) -> list[Any]:
    """The story's files by their letters; without their folder where all stand in one."""
    from rich.text import Text

    names = short_names(letters)
    table = _grid("right", "left")
    for source in sorted({p.sentence.source for p in story.sentences}, key=lambda s: letters[s]):
        table.add_row(Text(f"  {letters[source]}", style="dim"), Text(names[source], style="dim"))
    return [table]


def _story(story: Narrative, letters: Mapping[str | None, str]) -> list[Any]:
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
    answers = replies(story)
    repeats_of: dict[int, list[Placed]] = {}
    for p in story.sentences:
        if p.repeat_of is not None:
            repeats_of.setdefault(p.repeat_of, []).append(p)
    for p in shown:
        mark = _mark(p)
        text = Text(_one_line(p))
        if p.sender:
            arrow = f" ↳ {answers[p.position]}" if p.position in answers else ""
            text = Text(f"{p.sender}{arrow}: ", style="dim").append(_one_line(p), style="not dim")
        if p.position in repeats_of:
            again = ", ".join(_source(copy, letters) for copy in repeats_of[p.position])
            text.append(f" (again: {again})", style="dim")
        source = Text(_source(p, letters), style="dim")
        mark += "≈" if earlier_than(p) else ""
        table.add_row(Text(f"{p.position}{mark}", style=colour), text, source)
    parts: list[Any] = [head]
    if story.actors:
        parts.append(Text("  with " + ", ".join(a.name for a in story.actors[:5]), style="dim"))
    return [*parts, *(_legend(story, letters) if letters else ()), table]


def _source(placed: Placed, letters: Mapping[str | None, str]) -> str:
    line = placed.sentence.line
    return f"{letters[placed.sentence.source]}:{line}" if letters else f"line {line}"


def _contradictions(assembly: Assembly, letters: Mapping[str | None, str]) -> list[Any]:
    from rich.text import Text

    if not assembly.contradictions:
        return []
    parts: list[Any] = [Text("Where accounts disagree", style="bold red")]
    for contradiction in assembly.contradictions:
        parts.append(Text(contradiction.heading, style="bold"))
        table = _grid("right", "left", "right")
        for side in contradiction.sides:
            placed = placed_at(assembly, side.story, side.position)
            words = clashing_words(side, placed)
            cell = Text(f"{words}  " if words else "", style="bold")
            cell.append(_one_line(placed), style="not bold")
            known = ", ".join(filter(None, (side.date, side.speaker)))
            cell.append(f"  ({known})" if known else "", style="not bold dim")
            tag = Text(f"{side.story}", style=_colour(side.story))
            table.add_row(tag, cell, Text(_source(placed, letters), style="dim"))
        parts.append(table)
    return [*parts, Text("")]


def _timeline(assembly: Assembly) -> list[Any]:
    from rich.text import Text

    if not assembly.timeline:
        return []
    table = _grid("right", "right", "left")
    told = table.columns[-1]
    told.no_wrap, told.overflow, told.ratio = True, "ellipsis", 1
    table.expand = True  # it is the sentence that gives way
    for entry in assembly.timeline[:_MAX_TIMELINE]:
        placed = placed_at(assembly, entry.story, entry.position)
        when = Text(("~" if entry.guessed else "") + entry.when)
        number = Text(str(entry.story), style=_colour(entry.story))
        table.add_row(when, number, Text(_one_line(placed)))
    more = len(assembly.timeline) - _MAX_TIMELINE
    rest = (
        [Text(f"... and {more} more; files written with -o have all", style="dim")]
        if more > 0
        else []
    )
    guessed = any(entry.guessed for entry in assembly.timeline[:_MAX_TIMELINE])
    heading = "Timeline (~ partly guessed)" if guessed else "Timeline"
    return [Text(heading, style="bold"), table, *rest, Text("")]


def _undated(assembly: Assembly) -> list[Any]:
    """A line a story; the other outputs also say between which dates each sentence lies."""
    from rich.text import Text

    undated = assembly.undated
    lines = [f"documents: {', '.join(undated.documents)}"] if undated.documents else []
    positions: dict[int, list[int]] = {}
    for story, position, _, _ in undated.events:
        positions.setdefault(story, []).append(position)
    lines += [f"story {story}: {_ranges(places)}" for story, places in positions.items()]
    if not lines:
        return []
    return [Text("Without a date", style="bold"), *map(Text, lines), Text("")]


def _ranges(numbers: Sequence[int]) -> str:
    """Rising numbers, runs of three or more joined.

    >>> _ranges([1, 2, 3, 5, 6])
    '1-3, 5, 6'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [[f"{run[0]}-{run[-1]}"] if len(run) > 2 else list(map(str, run)) for run in runs]
    return ", ".join(part for run in shown for part in run)


def _changes(assembly: Assembly) -> list[Any]:
    from rich.text import Text

    if not assembly.changes:
        return [Text("Nothing changed."), Text("")]
    lines = [Text(describe_change(change)) for change in assembly.changes]
    return [Text("What changed", style="bold"), *lines, Text("")]
