"""From documents to chains: parse, find the events, find who is who, and follow each entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from os import PathLike
from typing import TYPE_CHECKING

from fabula.events.extract.entity_names import name_entities
from fabula.events.extract.extraction import Frame, extract
from fabula.events.extract.rules import Rules
from fabula.events.items import Chain, Event
from fabula.text.coref import Resolver, Span, resolvers
from fabula.text.parse.parsed import Parsed, sentences_of
from fabula.types import Document, Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = [
    "DocumentEvents",
    "Found",
    "build_chains",
    "chains_of",
    "document_events",
    "extract_events",
    "read_events",
]


@dataclass(frozen=True, slots=True)
class DocumentEvents:
    """What happened in one document: its chains, the longest first, and its sentences.

    ``event.sentence`` is a place in ``sentences``. ``verbs`` counts the events found, whether or
    not they are in a chain; ``notes`` says what a reader should know.
    """

    document: str
    chains: tuple[Chain, ...]
    sentences: tuple[Sentence, ...]
    verbs: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A document's events and entities as plain values, after the parse is gone."""

    parsed: Parsed
    frames: list[Frame]
    clusters: list[tuple[Span, ...]]


def extract_events(
    sources: str | Document | Iterable[str | Document],
    *,
    rules: Rules | None = None,
    coref: str | Resolver = "sieve",
    least: int = 2,
) -> list[DocumentEvents]:
    """Who did what in each text: chains of events, entity by entity, longest chain first.

    A string is one text. Chains of fewer than ``least`` events are left out.

    >>> (found,) = extract_events("The police arrested Jon but he escaped. Jon fled.")
    >>> found.chains[0].entity, [str(event) for event in found.chains[0].events]
    ('Jon', ['arrest->obj', 'escape->subj', 'flee->subj'])
    """
    texts = [sources] if isinstance(sources, str | Document) else sources
    documents = (
        Document(f"text {number}", (text,), lines=(1,)) if isinstance(text, str) else text
        for number, text in enumerate(texts, 1)
    )
    return list(read_events(documents, rules=rules, coref=coref, least=least))


def build_chains(
    documents: Iterable[Document],
    *,
    rules: Rules | None = None,
    coref: str | Resolver = "sieve",
    least: int = 2,
) -> Iterator[Chain]:
    """The chains of documents one after another, in memory that does not grow."""
    for found in read_events(documents, rules=rules, coref=coref, least=least):
        yield from found.chains


def read_events(
    documents: Iterable[Document],
    *,
    rules: Rules | None = None,
    coref: str | Resolver = "sieve",
    least: int = 2,
) -> Iterator[DocumentEvents]:
    """``extract_events`` as a stream."""
    from fabula.text.parse.pipeline import Parser
    from fabula.text.segment.sentences import split_sentences

    resolver: Resolver = resolvers.get(coref)() if isinstance(coref, str) else coref
    chosen = rules or Rules()
    # The document waits here while its sentences go through the parser in batches.
    waiting, parsing = tee((document, split_sentences(document)) for document in documents)
    results = Parser().each(_reader(chosen, resolver), (sentences for _, sentences in parsing))
    for (document, sentences), found in zip(waiting, results, strict=True):
        yield document_events(document, sentences, found, least)


def _reader(rules: Rules, resolver: Resolver) -> Callable[[Doc], Found]:
    def read(doc: Doc) -> Found:
        parsed = Parsed.of(doc)
        return Found(parsed, extract(parsed, rules), resolver.clusters(parsed))

    return read


def document_events(
    document: Document, sentences: Sequence[Sentence], found: Found, least: int
) -> DocumentEvents:
    """The chains of one document, of what was found in its parse."""
    from fabula.text.segment.language import looks_english

    given = sentences_of(found.parsed, [sentence.text for sentence in sentences])
    lines = [sentences[number].line for number in given]
    notes = []
    if not looks_english(document.text):
        notes.append(f"{document.id}: does not look like English; events are found in English only")
    if not found.frames:
        notes.append(f"{document.id}: no events, since there is no verb but 'be' in it")
    chains = chains_of(found, document.id, document.source, given, lines, least)
    return DocumentEvents(
        document.id,
        tuple(sorted(chains, key=lambda chain: -len(chain.events))),
        tuple(sentences),
        len(found.frames),
        tuple(notes),
    )


def chains_of(
    found: Found,
    document: str,
    source: str | PathLike[str] | None = None,
    numbers: Sequence[int] | None = None,
    lines: Sequence[int] | None = None,
    least: int = 2,
) -> list[Chain]:
    """The chains of one document in the order in which their entities come up.

    ``numbers`` and ``lines`` give the number and the line of each sentence of the parse.
    """
    parsed = found.parsed
    names = name_entities(parsed, found.clusters)
    owner, groups = _owners(found.clusters)
    chains: dict[int, list[Event]] = {}
    for frame in found.frames:
        here = parsed.sentence[frame.token]
        args: dict[str, str] = {}
        filled: list[tuple[int, str]] = []
        for slot, heads in frame.roles.items():
            here_too = [owner[head] for head in heads if head in owner]
            whole = [group for group, members in groups if members <= set(heads)]
            filled += [(entity, slot) for entity in dict.fromkeys([*here_too, *whole])]
            args[slot] = names[here_too[0]] if here_too else parsed.words[heads[0]].lower()
        for entity, slot in filled:
            event = Event(
                frame.verb,
                slot,
                {**args, slot: names[entity]},
                sentence=numbers[here] if numbers is not None else here,
                line=lines[here] if lines is not None else None,
                negated=frame.negated,
            )
            chains.setdefault(entity, []).append(event)
    place = None if source is None else str(source)
    return [
        Chain(document, names[entity], tuple(events), place)
        for entity, events in sorted(chains.items())
        if len(events) >= least
    ]


def _owners(
    clusters: Sequence[tuple[Span, ...]],
) -> tuple[dict[int, int], list[tuple[int, set[int]]]]:
    """Which entity each head belongs to; and the groups, which need all their members.

    A group ("Ann and Bo") has the head of its first member, so it is told by its width: other
    entities have their heads inside it.
    """
    heads = {span.head for spans in clusters for span in spans}
    owner: dict[int, int] = {}
    groups: list[tuple[int, set[int]]] = []
    narrow: dict[int, int] = {}
    for entity, spans in enumerate(clusters):
        for span in spans:
            width = span.end - span.start
            if span.head not in owner or width < narrow[span.head]:
                owner[span.head], narrow[span.head] = entity, width
    for entity, spans in enumerate(clusters):
        for span in spans:
            if owner[span.head] != entity:
                inside = {token for token in range(span.head + 1, span.end) if token in heads}
                groups.append((entity, {span.head, *inside}))
    return owner, groups
