"""Markdown for Obsidian and static sites: an assembly in, front matter and text out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from fabula.assembly.render.formats import to_markdown
from fabula.assembly.types import Assembly

__all__ = ["to_markdown_file"]

_DAY = re.compile(r"\d{4}(?:-\d\d){0,2}")
_MOST = 50  # entries of a list in the front matter
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def to_markdown_file(assembly: Assembly, title: str = "What happened") -> str:
    """YAML front matter (title, dates, stories, actors, sources), then ``to_markdown``.

    Obsidian shows the front matter as properties; Hugo, Jekyll, MkDocs and Sphinx read it as
    metadata. The text holds no HTML.
    """
    return "\n".join(["---", *_front_matter(assembly, title), "---", "", to_markdown(assembly)])


def _front_matter(assembly: Assembly, title: str) -> Iterator[str]:
    yield f"title: {_quoted(title)}"
    # Where accounts disagree the file says so before it is opened.
    yield f"contradictions: {len(assembly.contradictions)}"
    days = [entry.date for entry in assembly.timeline if entry.date and not entry.guessed]
    known = sorted(m[0] for day in days for part in day.split("/") if (m := _DAY.match(part)))
    if known:
        yield from (f"first: {_quoted(known[0])}", f"last: {_quoted(known[-1])}")
    placed = [p for story in assembly.stories for p in story.sentences]
    yield from _list("stories", (story.title for story in assembly.stories))
    yield from _list("actors", (a.name for story in assembly.stories for a in story.actors))
    yield from _list("sources", (p.sentence.source or "" for p in placed))


def _list(name: str, values: Iterable[str]) -> Iterator[str]:
    entries = [value for value in dict.fromkeys(values) if value]
    if entries:
        yield f"{name}:"
        yield from (f"  - {_quoted(value)}" for value in entries[:_MOST])


def _quoted(text: str) -> str:
    """A YAML string: JSON's, which YAML reads, on one line and without control characters."""
    line = _UNPRINTABLE.sub("\ufffd", " ".join(text.split()))
    return json.dumps(line, ensure_ascii=False)
