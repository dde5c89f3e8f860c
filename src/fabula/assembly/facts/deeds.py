"""Documents -> who does what in each sentence: events with coreference over the whole document.

A document's sentences are read together, in its own order, so that "he" is resolved in context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabula.text.coref.agreement import COLLECTIVE, is_person_noun
from fabula.text.lexicon import PERSONAL_PRONOUNS
from fabula.text.parse.parsed import Parsed

if TYPE_CHECKING:
    from fabula.text.coref import Span

__all__ = ["DocumentDeeds", "EntityFacts", "Part", "SentenceDeed", "read_deeds"]

_PLACES = frozenset(("GPE", "LOC", "FAC"))
_BODIES = frozenset(("ORG", "NORP"))


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """An entity of a document: its name, what it is, its other names, where it is mentioned.

    ``kind`` is person, organisation, place, thing, or unknown for a pronoun nobody explains.
    """

    name: str
    kind: str
    names: tuple[str, ...]
    described: bool  # by a noun alone: "the gunman"
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Who fills a slot: the number of the entity, or none, the words used, and how sure that is."""

    entity: int | None
    words: str
    certainty: float = 1.0


@dataclass(frozen=True, slots=True)
class SentenceDeed:
    """An event of a sentence: its verb, doers and undergoers, and its standing."""

    verb: str
    doers: tuple[Part, ...]
    undergoers: tuple[Part, ...]
    negated: bool = False
    standing: str = "certain"
    said_by: Part | None = None


@dataclass(frozen=True, slots=True)
class DocumentDeeds:
    """The entities of a document, and the deeds of each of its sentences."""

    entities: tuple[EntityFacts, ...]
    sentences: tuple[tuple[SentenceDeed, ...], ...]


def read_deeds(sentences: Sequence[Parsed]) -> DocumentDeeds:
    """The deeds of a document, given as the parses of its sentences in its own order."""
    from fabula.events.extract.chains import head_owners
    from fabula.events.extract.entity_names import name_entities
    from fabula.events.extract.extraction import extract
    from fabula.events.items import Event
    from fabula.text.coref import resolve, resolvers

    parsed = Parsed.joined(sentences)
    number_of = [number for number, part in enumerate(sentences) for _ in part.starts]
    clusters, certainty = resolve(resolvers.get("best")(), parsed)
    names = name_entities(parsed, clusters)
    owner, _ = head_owners(clusters)
    entities = tuple(
        _entity(parsed, name, spans, number_of) for name, spans in zip(names, clusters, strict=True)
    )

    def part(head: int) -> Part:
        return Part(owner.get(head), _words(parsed, head), certainty.get(head, 1.0))

    found: list[list[SentenceDeed]] = [[] for _ in sentences]
    for predicate in extract(parsed):
        doers, undergoers = (
            tuple(map(part, predicate.roles.get(slot, ()))) for slot in ("subj", "obj")
        )
        if not doers and not undergoers:
            continue
        modality, reported, source, _ = predicate.standing
        standing = Event("", "", negated=predicate.negated, modality=modality, reported=reported)
        found[number_of[parsed.sentence[predicate.token]]].append(
            SentenceDeed(
                predicate.verb,
                doers,
                undergoers,
                predicate.negated,
                standing.standing,
                None if source is None else part(source),
            )
        )
    return DocumentDeeds(entities, tuple(map(tuple, found)))


def _entity(
    parsed: Parsed, name: str, spans: Sequence[Span], number_of: Sequence[int]
) -> EntityFacts:
    proper = [span for span in spans if parsed.tags[span.head] in ("NNP", "NNPS")]
    nouns = [span for span in spans if parsed.tags[span.head] in ("NN", "NNS", "VBN")]
    names = tuple(dict.fromkeys(_words(parsed, span.head) for span in proper))
    sentences = tuple(sorted({number_of[parsed.sentence[span.head]] for span in spans}))
    kind = _kind(parsed, spans, proper, nouns)
    return EntityFacts(name, kind, names, not proper and bool(nouns), sentences)


def _kind(
    parsed: Parsed, spans: Sequence[Span], proper: Sequence[Span], nouns: Sequence[Span]
) -> str:
    types = {parsed.names[span.head] for span in proper}
    pronouns = [PERSONAL_PRONOUNS.get(parsed.words[span.head].lower()) for span in spans]
    personal = any(form is not None and form.gender in ("m", "f") for form in pronouns)
    lemmas = {parsed.lemmas[span.head].lower() for span in nouns}
    if "PERSON" in types or (personal and (proper or nouns)):
        return "person"
    if any(map(is_person_noun, lemmas)) or lemmas & {"man", "woman", "people", "child"}:
        return "person"
    if types & _BODIES or lemmas & COLLECTIVE:
        return "organisation"
    if types & _PLACES:
        return "place"
    return "thing" if proper or nouns else "unknown"


def _words(parsed: Parsed, head: int) -> str:
    """A noun with what names it ("Doctor Edith Vane"); a description with its article."""
    start = head
    for child in parsed.children[head]:
        if child < start and parsed.labels[child] in ("compound", "det", "poss", "amod", "nummod"):
            start = min(start, parsed.subtree(child)[0])
    proper = parsed.tags[head] in ("NNP", "NNPS")
    while proper and start < head and parsed.tags[start] in ("DT", "PRP$"):
        start += 1
    text = parsed.span_text(start, head + 1)
    opens = start in parsed.starts and parsed.tags[start] not in ("NNP", "NNPS")
    return text[:1].lower() + text[1:] if opens and text != "I" else text
