"""Assemble: from a pile of mixed text to separate, ordered accounts. The product's main verb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.assembly.titles import title_stories
from fabula.errors import InputError, UsageError
from fabula.ordering import order
from fabula.salads import Untangled, untangle
from fabula.text.language import looks_english
from fabula.text.sentences import split_sentences
from fabula.types import Document, Narrative, Placed, Sentence

__all__ = ["Assembly", "assemble", "doubts"]

UNSURE_ORDER = 0.6  # mean pair probability below which an order is little more than a guess


@dataclass(frozen=True, slots=True)
class Assembly:
    """The stories found, and what should be known about them."""

    stories: tuple[Narrative, ...]
    notes: tuple[str, ...] = ()


def assemble(
    texts: Iterable[str | Document],
    *,
    stories: int | None = None,
    untangler: Any = "best",
    orderer: Any = "best",
) -> Assembly:
    """Split, untangle and order a pile of texts; every sentence is in exactly one story.

    A string is one text, named ``text 1``, ``text 2`` ...; a document keeps its own name and
    lines. The number of stories is found unless given.
    """
    if isinstance(texts, str | Document):
        texts = [texts]
    sentences = [s for place, text in enumerate(texts, 1) for s in _sentences(text, place)]
    if not sentences:
        raise InputError("there is no sentence in the text given")
    given = [sentence.text for sentence in sentences]
    if stories is not None and not 1 <= stories <= len(given):
        raise UsageError(
            f"stories must be between 1 and the number of sentences ({len(given)}), or auto; "
            f"it is {stories}"
        )
    untangled = untangle(given, stories=stories, model=untangler)
    groups = _first_seen(untangled.labels)
    titles = title_stories([[given[i] for i in group] for group in groups])
    narratives = []
    for number, (group, title) in enumerate(zip(groups, titles, strict=True), 1):
        found = order([given[i] for i in group], model=orderer)
        placed = tuple(
            Placed(sentences[group[unit]], place, untangled.probabilities[group[unit]])
            for place, unit in enumerate(found.order, 1)
        )
        narratives.append(Narrative(number, title, placed, found.confidence))
    unsure = [
        f"Story {story.id}: order unsure."
        for story in narratives
        if len(story.sentences) > 1 and story.order_confidence < UNSURE_ORDER
    ]
    return Assembly(tuple(narratives), (*doubts(given, untangled), *unsure))


def _sentences(text: str | Document, place: int) -> list[Sentence]:
    if isinstance(text, Document):
        return split_sentences(text)
    document = Document(f"text {place}", (text,), source=f"text {place}", lines=(1,))
    return split_sentences(document)


def _first_seen(labels: tuple[int, ...]) -> list[list[int]]:
    """Sentence indices by story; stories numbered by their first sentence in the input."""
    groups: dict[int, list[int]] = {}
    for index, label in enumerate(labels):
        groups.setdefault(label, []).append(index)
    return list(groups.values())


def doubts(sentences: Sequence[str], untangled: Untangled) -> list[str]:
    """What should be known about the stories found, one line each."""
    notes = []
    if not looks_english(" ".join(sentences)):
        notes.append("The text does not look English; fabula reads English only.")
    if not untangled.separable:
        notes.append("The stories cannot be separated with any confidence.")
    return notes
