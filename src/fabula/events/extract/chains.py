"""Documents -> event chains: parse, predicates, coreference, then the events of each entity.

A narrative event chain is the events that share a protagonist (Chambers and Jurafsky 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import tee
from os import PathLike
from typing import TYPE_CHECKING, Any

from fabula.answer import Answer, AnswerList
from fabula.events.extract.entity_names import name_entities
from fabula.events.extract.extraction import Predicate, extract
from fabula.events.extract.rules import ExtractionRules
from fabula.events.items import Chain, Event
from fabula.text.coref import CERTAIN, Resolver, Span, resolve, resolvers
from fabula.text.parse.parsed import Parsed, sentences_of
from fabula.types import Document, Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = [
    "DocumentEvents",
    "Extraction",
    "build_chains",
    "document_events",
    "entity_chains",
    "extract_events",
    "head_owners",
    "read_events",
]


@dataclass(frozen=True, slots=True)
class DocumentEvents(Answer):
    """The chains of one document, longest first, and its sentences.

    ``event.sentence`` is an index into ``sentences``. ``verbs`` counts all predicates, whether or
    not they are in a chain; ``notes`` are warnings for the reader.
    """

    document: str
    chains: tuple[Chain, ...]
    sentences: tuple[Sentence, ...]
    verbs: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "document": self.document,
            "chains": [chain.to_row() for chain in self.chains],
            "events": self.verbs,
            "notes": list(self.notes),
        }

    def _rows(self) -> Iterable[dict[str, Any]]:
        """A row for each event of each chain."""
        for chain in self.chains:
            for event in chain.events:
                told = None if event.sentence is None else self.sentences[event.sentence]
                yield {
                    "document": self.document,
                    "entity": chain.entity,
                    "verb": event.verb,
                    "slot": event.slot,
                    "args": dict(event.args or {}),
                    "standing": event.standing,
                    "certainty": event.certainty,
                    "line": event.line,
                    "sentence": None if told is None else told.text,
                }

    def _summary(self) -> str:
        return f"{self.document}: {self.verbs} events, {len(self.chains)} chains"


@dataclass(frozen=True, slots=True)
class Extraction:
    """The predicates and coreference clusters of one document, as plain values.

    ``certainty`` is by head token the probability that an anaphor is of its cluster, else 1.
    """

    parsed: Parsed
    predicates: list[Predicate]
    clusters: list[tuple[Span, ...]]
    certainty: Mapping[int, float] = field(default_factory=dict)


def extract_events(
    sources: str | Document | Iterable[str | Document],
    *,
    rules: ExtractionRules | None = None,
    coref: str | Resolver = "best",
    least: int = 2,
) -> AnswerList[DocumentEvents]:
    """Texts -> event chains, entity by entity, the longest chain first.

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
    found = read_events(documents, rules=rules, coref=coref, least=least)
    columns = ("document", "entity", "verb", "slot", "args", "standing", "certainty", "line",
               "sentence")  # fmt: skip
    return AnswerList(found, "documents", columns=columns)


def build_chains(
    documents: Iterable[Document],
    *,
    rules: ExtractionRules | None = None,
    coref: str | Resolver = "best",
    least: int = 2,
) -> Iterator[Chain]:
    """Stream the chains of documents, in constant memory."""
    for events in read_events(documents, rules=rules, coref=coref, least=least):
        yield from events.chains


def read_events(
    documents: Iterable[Document],
    *,
    rules: ExtractionRules | None = None,
    coref: str | Resolver = "best",
    least: int = 2,
) -> Iterator[DocumentEvents]:
    """Stream the events of documents, one ``DocumentEvents`` each, in constant memory."""
    from fabula.text.parse.pipeline import Parser
    from fabula.text.segment.sentences import split_sentences

    resolver: Resolver = resolvers.get(coref)() if isinstance(coref, str) else coref
    chosen = rules or ExtractionRules()
    # The document waits here while its sentences go through the parser in batches.
    waiting, parsing = tee((document, split_sentences(document)) for document in documents)
    results = Parser().each(_reader(chosen, resolver), (sentences for _, sentences in parsing))
    for (document, sentences), extraction in zip(waiting, results, strict=True):
        yield document_events(document, sentences, extraction, least)


def _reader(rules: ExtractionRules, resolver: Resolver) -> Callable[[Doc], Extraction]:
    def read(doc: Doc) -> Extraction:
        parsed = Parsed.of(doc)
        clusters, certainty = resolve(resolver, parsed)
        return Extraction(parsed, extract(parsed, rules), clusters, certainty)

    return read


def document_events(
    document: Document, sentences: Sequence[Sentence], extraction: Extraction, least: int
) -> DocumentEvents:
    """The chains and notes of one document from its extracted predicates and clusters."""
    from fabula.text.segment.language import looks_english

    given = sentences_of(extraction.parsed, [sentence.text for sentence in sentences])
    lines = [sentences[number].line for number in given]
    notes = []
    if not looks_english(document.text):
        notes.append(f"{document.id}: does not look like English; events are found in English only")
    if not extraction.predicates:
        notes.append(f"{document.id}: no events, since there is no verb but 'be' in it")
    chains = entity_chains(extraction, document.id, document.source, given, lines, least)
    return DocumentEvents(
        document.id,
        tuple(sorted(chains, key=lambda chain: -len(chain.events))),
        tuple(sentences),
        len(extraction.predicates),
        tuple(notes),
    )


def entity_chains(
    extraction: Extraction,
    document: str,
    source: str | PathLike[str] | None = None,
    numbers: Sequence[int] | None = None,
    lines: Sequence[int] | None = None,
    least: int = 2,
) -> list[Chain]:
    """The event chain of each entity of a document, in the order of their first mentions.

    ``numbers`` and ``lines`` give the number and the line of each sentence of the parse.
    """
    parsed = extraction.parsed
    names = name_entities(parsed, extraction.clusters)
    owner, groups = head_owners(extraction.clusters)
    chains: dict[int, list[Event]] = {}
    for predicate in extraction.predicates:
        sentence = parsed.sentence[predicate.token]
        args: dict[str, str] = {}
        unsure: dict[str, str] = {}
        filled: list[tuple[int, str, float]] = []
        for slot, heads in predicate.roles.items():
            entities = [owner[head] for head in heads if head in owner]
            plural = [group for group, members in groups if members <= set(heads)]
            told = predicate.certainty(slot)
            chances = {
                owner[head]: min(told, extraction.certainty.get(head, 1.0))
                for head in heads
                if head in owner
            }
            filled += [
                (entity, slot, chances.get(entity, 1.0))
                for entity in dict.fromkeys([*entities, *plural])
            ]
            args[slot] = names[entities[0]] if entities else parsed.words[heads[0]].lower()
            if told < CERTAIN:
                unsure[slot] = ""
            elif entities and chances[entities[0]] < CERTAIN:
                unsure[slot] = _phrase_of(parsed, heads[0])
        speaker = predicate.standing.source
        said_by = None
        if speaker is not None:
            said_by = names[owner[speaker]] if speaker in owner else parsed.words[speaker]
        for entity, slot, certainty in filled:
            event = Event(
                predicate.verb,
                slot,
                {**args, slot: names[entity]},
                sentence=numbers[sentence] if numbers is not None else sentence,
                line=lines[sentence] if lines is not None else None,
                negated=predicate.negated,
                modality=predicate.standing.modality,
                reported=predicate.standing.reported,
                said_by=said_by,
                certainty=certainty,
                unsure=unsure,
            )
            chains.setdefault(entity, []).append(event)
    path = None if source is None else str(source)
    return [
        Chain(document, names[entity], tuple(events), path)
        for entity, events in sorted(chains.items())
        if len(events) >= least
    ]


def _phrase_of(parsed: Parsed, head: int) -> str:
    """An anaphor as it is written, in small letters: "he", "the gunman"."""
    before = [c for c in parsed.children[head] if parsed.labels[c] == "det" and c < head]
    return parsed.span_text(min([head, *before]), head + 1).lower()


def head_owners(
    clusters: Sequence[tuple[Span, ...]],
) -> tuple[dict[int, int], list[tuple[int, set[int]]]]:
    """The entity of each head token; and plural entities with the heads of all their members.

    A plural mention ("Ann and Bo") has the head of its first member, so of two mentions with one
    head the wider is the plural: other entities have their heads inside it.
    """
    heads = {span.head for spans in clusters for span in spans}
    owner: dict[int, int] = {}
    groups: list[tuple[int, set[int]]] = []
    narrowest: dict[int, int] = {}
    for entity, spans in enumerate(clusters):
        for span in spans:
            width = span.end - span.start
            if span.head not in owner or width < narrowest[span.head]:
                owner[span.head], narrowest[span.head] = entity, width
    for entity, spans in enumerate(clusters):
        for span in spans:
            if owner[span.head] != entity:
                inside = {token for token in range(span.head + 1, span.end) if token in heads}
                groups.append((entity, {span.head, *inside}))
    return owner, groups
