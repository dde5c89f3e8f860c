"""Documents -> who does what in each sentence: events with coreference over the whole document.

A document's sentences are read together, in its own order, so that "he" is resolved in context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabula.text.coref.agreement import COLLECTIVE, GENERIC, is_person_noun
from fabula.text.coref.proper_names import is_name, name_start, names_a_thing
from fabula.text.lexicon import PERSONAL_PRONOUNS, words
from fabula.text.parse.parsed import Parsed

if TYPE_CHECKING:
    from fabula.text.coref import Span
    from fabula.text.coref.speech import Speakers

__all__ = ["DocumentDeeds", "EntityFacts", "Part", "SentenceDeed", "read_deeds"]

_PLACES = frozenset(("GPE", "LOC", "FAC"))
_BODIES = frozenset(("ORG", "NORP"))
_MAX_NAME = (
    80  # characters; a shorter cut would part "District Attorney Seth Williams" from himself
)
_FEASTS = words(
    """anniversary birthday christmas cocktail dinner easter farewell garden graduation halloween
    holiday house leaving office tea wedding"""
)


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
    generic: bool = False  # described by a word that fits anybody: "the man", "two people"
    named_thing: bool = False  # a noun beside the name says what it is: "the ferry Orla Maid"


@dataclass(frozen=True, slots=True)
class Part:
    """Who fills a slot: the number of the entity, or none, the words used, and how sure that is.

    Nobody is named where it is ``understood``: the words are those of another place.
    """

    entity: int | None
    words: str
    certainty: float = 1.0
    understood: bool = False


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


def read_deeds(
    sentences: Sequence[Parsed], speakers: Sequence[Speakers] | None = None
) -> DocumentDeeds:
    """The deeds of a document, given as the parses of its sentences in its own order.

    ``speakers``, one for each sentence of a conversation, say who "I" and "you" are.
    """
    from fabula.events.extract.chains import head_owners
    from fabula.events.extract.entity_names import name_entities
    from fabula.events.extract.extraction import extract
    from fabula.events.items import Event
    from fabula.text.coref import resolve, resolvers
    from fabula.text.coref.speech import assign_speakers

    parsed = Parsed.joined(sentences)
    number_of = [number for number, part in enumerate(sentences) for _ in part.starts]
    resolved = resolve(resolvers.get("best")(), parsed)
    people: Mapping[int, str] = {}
    if speakers is not None:
        told = [speakers[number] for number in number_of]
        resolved, people = assign_speakers(parsed, resolved, told)
    clusters, certainty = resolved
    names = name_entities(parsed, clusters, _MAX_NAME)
    owner, _ = head_owners(clusters)
    entities = tuple(
        _entity(parsed, name, spans, number_of, people.get(number))
        for number, (name, spans) in enumerate(zip(names, clusters, strict=True))
    )

    def part(head: int, told: float = 1.0) -> Part:
        sure = min(told, certainty.get(head, 1.0))
        return Part(owner.get(head), _words(parsed, head), sure, told < 1)

    found: list[list[SentenceDeed]] = [[] for _ in sentences]
    for predicate in extract(parsed):
        doers, undergoers = (
            tuple(part(head, predicate.certainty(slot)) for head in predicate.roles.get(slot, ()))
            for slot in ("subj", "obj")
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
    parsed: Parsed,
    name: str,
    spans: Sequence[Span],
    number_of: Sequence[int],
    person: str | None = None,
) -> EntityFacts:
    proper = [span for span in spans if is_name(parsed, span.head)]
    nouns = [
        span
        for span in spans
        if parsed.tags[span.head] in ("NN", "NNS", "VBN") and span not in proper
    ]
    names = tuple(dict.fromkeys(_words(parsed, span.head) for span in proper))
    sentences = tuple(sorted({number_of[parsed.sentence[span.head]] for span in spans}))
    if person is not None:  # the name a chat gives its sender
        return EntityFacts(person, "person", (person, *names), False, sentences)
    named_thing = any(names_a_thing(parsed, span.head) for span in proper)
    kind = "thing" if named_thing else _kind(parsed, spans, proper, nouns)
    generic = not proper and all(parsed.lemmas[span.head].lower() in GENERIC for span in nouns)
    return EntityFacts(
        name, kind, names, not proper and bool(nouns), sentences, generic, named_thing
    )


def _kind(
    parsed: Parsed, spans: Sequence[Span], proper: Sequence[Span], nouns: Sequence[Span]
) -> str:
    types = {parsed.names[span.head] for span in proper}
    pronouns = [PERSONAL_PRONOUNS.get(parsed.words[span.head].lower()) for span in spans]
    personal = any(form is not None and form.gender in ("m", "f") for form in pronouns)
    lemmas = {parsed.lemmas[span.head].lower() for span in nouns}
    if any(_is_feast(parsed, span) for span in spans):
        return "thing"
    if types == {"PERSON"} and not personal and all(_has_number(parsed, s) for s in proper):
        return "thing"  # "a .357 Magnum"
    if "PERSON" in types or (personal and (proper or nouns)):
        return "person"
    if any(map(is_person_noun, lemmas)) or lemmas & {"man", "woman", "people", "child"}:
        return "person"
    if types & _BODIES or lemmas & COLLECTIVE:
        return "organisation"
    if types & _PLACES:
        return "place"
    return "thing" if proper or nouns else "unknown"


def _is_feast(parsed: Parsed, span: Span) -> bool:
    """A party that is no body of people: "the Christmas party"."""
    before = parsed.words[span.head - 1].lower() if span.head else ""
    return parsed.words[span.head].lower() == "party" and before in _FEASTS


def _has_number(parsed: Parsed, span: Span) -> bool:
    return any(parsed.words[token][:1].isdigit() for token in range(span.start, span.end))


def _words(parsed: Parsed, head: int) -> str:
    """A noun with what names it ("Doctor Edith Vane"); a description with its article."""
    start = head
    for child in parsed.children[head]:
        if child < start and parsed.labels[child] in ("compound", "det", "poss", "amod", "nummod"):
            start = min(start, parsed.subtree(child)[0])
    proper = is_name(parsed, head)
    while proper and start < head and parsed.tags[start] in ("DT", "PRP$"):
        start += 1
    start = name_start(parsed, head, start)
    text = parsed.span_text(start, head + 1)
    opens = start in parsed.starts and not is_name(parsed, start)
    small = opens and text != "I" and not parsed.words[start][1:].isupper()
    return text[:1].lower() + text[1:] if small else text
