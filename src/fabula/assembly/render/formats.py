"""Renderers: an assembly in, JSON, Markdown or one self-contained HTML page out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fabula.assembly.types import Assembly, Side
from fabula.core.html import counted, escape_markdown, render_template
from fabula.types import Narrative, Placed

__all__ = [
    "clashing_words",
    "describe_change",
    "earlier_than",
    "placed_at",
    "remarks",
    "replies",
    "short_names",
    "to_html",
    "to_json",
    "to_markdown",
    "told_by",
    "undated_lines",
    "where",
]  # fmt: skip


def where(placed: Placed) -> str:
    """``file:line``, as editors and compilers write it."""
    return f"{placed.sentence.source or 'text'}:{placed.sentence.line}"


def short_names(sources: Iterable[str | None]) -> dict[str | None, str]:
    """Each source as it is shown: without its folder where all of them stand in one.

    >>> short_names(["case/a.txt", "case/b.txt"])["case/a.txt"]
    'a.txt'
    >>> short_names(["monday/a.txt", "b.txt"])["monday/a.txt"]
    'monday/a.txt'
    """
    named = {source: source or "text" for source in sources}
    in_one_folder = len({Path(name).parent for name in named.values()}) == 1
    return {s: Path(name).name if in_one_folder else name for s, name in named.items()}


def placed_at(assembly: Assembly, story: int, position: int) -> Placed:
    """The sentence at a position of a story, both counted from 1."""
    return next(s for s in assembly.stories if s.id == story).sentences[position - 1]


def remarks(placed: Placed) -> str:
    """What a sentence says again, and before which it may have happened: ", says 2 again"."""
    repeat = f", says {placed.repeat_of} again" if placed.repeat_of else ""
    above = earlier_than(placed)
    return repeat + (f", may have happened before {above[0]}" if above else "")


def replies(story: Narrative) -> dict[int, int]:
    """The position of each chat message that answers another, with the position of that one.

    A message of several sentences stands at its first.
    """
    found: dict[int, int] = {}
    before: int | None = None
    for placed in story.sentences:
        if placed.answers is not None and placed.message != before:
            found[placed.position] = placed.answers
        before = placed.message
    return found


def earlier_than(placed: Placed) -> list[int]:
    """The positions above a sentence which it may precede, since their order is unknown."""
    return [position for position in placed.unordered if position < placed.position]


def told_by(side: Side, placed: Placed) -> str:
    """Where a side of a contradiction stands, of which date, and who says it, where known."""
    return ", ".join(filter(None, (where(placed), side.date, side.speaker)))


def clashing_words(side: Side, placed: Placed) -> str:
    """A side's contradicting words; "" where they are the whole sentence, which is shown anyway."""
    whole = side.value.split() == placed.sentence.text.split()
    return "" if whole else side.value


def to_json(assembly: Assembly) -> dict[str, Any]:
    """The assembly as JSON of docs/assemble.schema.json."""
    data: dict[str, Any] = {
        "stories": [_story(story) for story in assembly.stories],
        "contradictions": [
            {
                "kind": contradiction.kind,
                "about": contradiction.about,
                "weight": contradiction.weight,
                "relation": contradiction.relation,
                "probability": contradiction.probability,
                "accepted": contradiction.accepted,
                "sides": [_side(assembly, side) for side in contradiction.sides],
            }
            for contradiction in assembly.contradictions
        ],
        "gaps": [],  # promised by the format; nothing is guessed between sentences any more
        "timeline": [
            {
                "when": entry.when,
                "story": entry.story,
                "position": entry.position,
                "guessed": entry.guessed,
                "date": entry.date,
                "source": entry.source,
                "reason": entry.why or None,
            }
            for entry in assembly.timeline
        ],
        "undated": {
            "documents": list(assembly.undated.documents),
            "events": [
                {"story": story, "position": position, "after": after, "before": before}
                for story, position, after, before in assembly.undated.events
            ],
        },
        "notes": list(assembly.notes),
        "numbers": [
            {"stories": number, "probability": round(probability, 4)}
            for number, probability in assembly.numbers[:3]
        ],
        "aside": [
            {"source": source, "kind": part.kind, "text": part.text, "line": part.line}
            for source, part in assembly.aside
        ],
        "base": {str(number): list(ids) for number, ids in sorted(assembly.base.items())},
    }
    if assembly.changes is not None:
        data["changes"] = [
            {"text": change.text, "was": change.was, "is": change.now}
            for change in assembly.changes
        ]
    if assembly.found is not None:
        data["query"] = {
            "text": assembly.found.query,
            "story": assembly.found.story,
            "positions": list(assembly.found.positions),
            "scores": {str(k): v for k, v in assembly.found.scores.items()},
            "clear": assembly.found.clear,
        }
    return data


def _story(story: Narrative) -> dict[str, Any]:
    return {
        "id": story.id,
        "title": story.title,
        "order_confidence": round(story.order_confidence, 4),
        "locked": story.locked,
        "sentences": [
            {
                "id": p.id,
                "text": p.sentence.text,
                "source": p.sentence.source,
                "line": p.sentence.line,
                "document": p.sentence.document,
                "paragraph": p.sentence.paragraph,
                "position": p.position,
                "probability": round(p.probability, 4),
                "repeat_of": p.repeat_of,
                "runner_up": p.runner_up,
                "why": list(p.why),
                "sender": p.sender,
                "time": p.time,
                "fixed": p.fixed,
                "when": p.when,
                "also_in": [
                    {
                        "document": copy.document,
                        "source": copy.source,
                        "line": copy.line,
                        "text": copy.text,
                    }
                    for copy in p.also_in
                ],
                "unordered": list(p.unordered),
                **_in_chat(p),
            }
            for p in story.sentences
        ],
        "actors": [{"name": a.name, "positions": list(a.positions)} for a in story.actors],
        "events": [
            {
                "position": deed.position,
                "verb": deed.verb,
                "subject": deed.subject,
                "object": deed.object,
                "negated": deed.negated,
            }
            for deed in story.deeds
        ],
    }


def _in_chat(placed: Placed) -> dict[str, int | None]:
    if placed.message is None:
        return {}
    return {
        "message": placed.message,
        "conversation": placed.conversation,
        "answers": placed.answers,
    }


def _side(assembly: Assembly, side: Side) -> dict[str, Any]:
    placed = placed_at(assembly, side.story, side.position)
    return {
        "story": side.story,
        "position": side.position,
        "value": side.value,
        "text": placed.sentence.text,
        "source": placed.sentence.source,
        "line": placed.sentence.line,
        "speaker": side.speaker,
        "date": side.date,
    }


def to_markdown(assembly: Assembly) -> str:
    """An assembly as Markdown: stories, contradictions, timeline, changes and notes."""
    return "\n".join(_markdown(assembly)).rstrip() + "\n"


def _markdown(assembly: Assembly) -> Iterator[str]:
    for story in assembly.stories:
        yield from (f"## Story {story.id}: {escape_markdown(story.title)}", "")
        if story.actors:
            yield from (f"Actors: {', '.join(escape_markdown(a.name) for a in story.actors)}", "")
        answers = replies(story)
        for p in story.sentences:
            when = f"{escape_markdown(p.when)}, " if p.when else ""
            said = _spoken(p, answers.get(p.position)) + escape_markdown(p.sentence.text)
            yield (
                f"{p.position}. {said} "
                f"_({when}{escape_markdown(where(p))}, {p.probability:.0%}{remarks(p)})_"
            )
        yield ""
    if assembly.contradictions:
        yield from _markdown_contradictions(assembly)
    if assembly.timeline:
        yield from ("## Timeline", "")
        for entry in assembly.timeline:
            placed = placed_at(assembly, entry.story, entry.position)
            mark = "~" if entry.guessed else ""
            text = escape_markdown(placed.sentence.text)
            yield f"- {mark}{entry.when}, story {entry.story}: {_spoken(placed)}{text}"
        yield ""
    if lines := undated_lines(assembly):
        yield from ("## Without a date", "")
        yield from (f"- {escape_markdown(line)}" for line in lines)
        yield ""
    if assembly.changes:
        yield from ("## What changed", "")
        yield from (f"- {escape_markdown(describe_change(c))}" for c in assembly.changes)
        yield ""
    if assembly.notes:  # one quotation, a paragraph a note
        yield "\n>\n".join(f"> {escape_markdown(note)}" for note in assembly.notes)


def _spoken(placed: Placed, answers: int | None = None) -> str:
    """Who sent a message, and what it answers, in Markdown; nothing for other sentences."""
    arrow = f" ↳ {answers}" if answers else ""
    return f"**{escape_markdown(placed.sender)}{arrow}:** " if placed.sender else ""


def undated_lines(assembly: Assembly) -> list[str]:
    """The documents without a date, and by story and dates the sentences that lie between."""
    lines = []
    if assembly.undated.documents:
        lines.append(f"documents: {', '.join(assembly.undated.documents)}")
    runs: dict[tuple[int, str | None, str | None], list[int]] = {}
    for story, position, after, before in assembly.undated.events:
        runs.setdefault((story, after, before), []).append(position)
    for (story, after, before), positions in runs.items():
        between = [f"after {after}" if after else "", f"before {before}" if before else ""]
        told = " and ".join(part for part in between if part)
        places = ", ".join(map(str, positions))
        lines.append(f"story {story}: {places}" + (f" ({told})" if told else ""))
    return lines


def _markdown_contradictions(assembly: Assembly) -> Iterator[str]:
    yield from ("## Where accounts disagree", "", "| | one says | another says |", "|-|-|-|")
    for contradiction in assembly.contradictions:
        cells = []
        for side in contradiction.sides:
            placed = placed_at(assembly, side.story, side.position)
            words = clashing_words(side, placed)
            cells.append(
                (f"**{escape_markdown(words)}**: " if words else "")
                + f"{escape_markdown(placed.sentence.text)} "
                + f"_(story {side.story}, {escape_markdown(told_by(side, placed))})_"
            )
        yield f"| {escape_markdown(contradiction.heading)} | {cells[0]} | {cells[1]} |"
    yield ""


def describe_change(change: Any) -> str:
    """A change as one line of text."""
    if change.was is None:
        return f"new, in story {change.now}: {change.text}"
    if change.now is None:
        return f"gone from story {change.was}: {change.text}"
    return f"from story {change.was} to {change.now}: {change.text}"


def to_html(assembly: Assembly, *, title: str = "What happened", score: str | None = None) -> str:
    """A self-contained page: styles inline, no script, text escaped."""
    from fabula.assembly.account.timeline import format_sent

    sources = {p.sentence.source for story in assembly.stories for p in story.sentences}
    names = short_names(sources)
    return render_template(
        "fabula.assembly.render",
        "page.html",
        title=title,
        assembly=assembly,
        stories=assembly.stories,
        notes=assembly.notes,
        score=score,
        names=names,
        earlier_than=earlier_than,
        told_by=told_by,
        sent=format_sent,
        at=lambda side: placed_at(assembly, side.story, side.position),
        clashing_words=clashing_words,
        describe_change=describe_change,
        undated=undated_lines(assembly),
        counted=counted,
        # The name of a single source file is shown once, at the top.
        only_source=sources.pop() if len(sources) == 1 else None,
    )
