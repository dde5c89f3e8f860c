"""The event form of salads: for each sentence its events as tuples of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from fabula.salads.build.mix import Source
from fabula.salads.items import Events, Salad

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["events_of", "sentence_tuples", "with_events"]


def sentence_tuples(sentences: Sequence[str]) -> Events:
    """For each sentence its events, (verb, subject, object, preposition, its object, ...).

    >>> sentence_tuples(["The guards arrested two men at the gate.", "It was late."])
    ((('arrest', 'guards', 'men', 'at', 'gate'),), ())
    """
    from fabula.text.parse.pipeline import Parser

    return tuple(Parser(ner=False).each(_events, sentences))


def events_of(salads: Sequence[Salad]) -> list[Events]:
    """The events of each salad: its own, or extracted from its sentences."""
    bare = [salad for salad in salads if salad.events is None]
    # A sentence may occur in many salads and is parsed once.
    texts = list(dict.fromkeys(s for salad in bare for s in salad.sentences))
    parsed = dict(zip(texts, sentence_tuples(texts) if texts else (), strict=True))
    return [
        tuple(parsed[s] for s in salad.sentences) if salad.events is None else salad.events
        for salad in salads
    ]


def with_events(sources: Sequence[Source]) -> list[Source]:
    """The sources with the events of each sentence, so that their salads have the event form."""
    events = iter(sentence_tuples([s for source in sources for s in source.sentences]))
    return [
        replace(source, events=tuple(next(events) for _ in source.sentences)) for source in sources
    ]


def _events(doc: Doc) -> tuple[tuple[str, ...], ...]:
    from fabula.events.extract.extraction import sentence_events
    from fabula.text.parse.parsed import Parsed

    return tuple(chain(*sentence_events(Parsed.of(doc))))
