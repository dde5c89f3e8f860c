"""Documents to salad sources as steps of ``fabula.scale``: split, topic vectors, events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fabula.salads.build.event_form import with_events
from fabula.salads.build.mix import Source, categories, read_sources
from fabula.salads.build.topics import with_topics
from fabula.scale.worker import Step, Tally, timed
from fabula.types import Document

__all__ = ["EVENTS", "SOURCES", "TOPICS", "events", "source_from", "sources", "topics"]

SOURCES = "fabula.salads.build.steps:sources"
TOPICS = "fabula.salads.build.steps:topics"
EVENTS = "fabula.salads.build.steps:events"


def sources() -> Step:
    """A step from documents to sources; documents that are too short are counted and left out."""

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        with timed(tally, "split"):
            found, short = read_sources(Document.from_row(row) for row in rows)
        tally.add("short", short)
        return (_row(source) for source in found)

    return step


def topics(*, encoder: str = "minilm") -> Step:
    """A step that adds the topic vector of each source."""

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        with timed(tally, "encode"):
            found = with_topics([source_from(row) for row in rows], encoder) if rows else []
        return (_row(source) for source in found)

    return step


def events() -> Step:
    """A step that adds the events of each source's sentences."""

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        with timed(tally, "parse"):
            found = with_events([source_from(row) for row in rows])
        return (_row(source) for source in found)

    return step


def _row(source: Source) -> dict[str, Any]:
    """A source as a JSON row, without the paragraphs, which salads do not use."""
    extra = {"categories": list(categories(source.document))}
    document = replace(source.document, paragraphs=(), lines=(), extra=extra)
    row: dict[str, Any] = {"id": document.id, "document": document.to_row()}
    row["sentences"] = list(source.sentences)
    if source.topic is not None:
        row["topic"] = source.topic.tolist()
    if source.events is not None:
        row["events"] = source.events
    return row


def source_from(row: Mapping[str, Any]) -> Source:
    """The source of a row that a step wrote."""
    topic, found = row.get("topic"), row.get("events")
    return Source(
        Document.from_row(row["document"]),
        tuple(row["sentences"]),
        None if topic is None else np.array(topic, dtype=np.float32),
        None if found is None else tuple(tuple(map(tuple, some)) for some in found),
    )
