"""One sentence, read for what it claims: its clauses, amounts, places, times and names.

Only strings and numbers are kept, so that the parse of a large pile need not stay in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.assembly.facts.claims import Claim, claims_of
from fabula.assembly.facts.clauses import clause_of, is_asserted, is_denied
from fabula.assembly.facts.outcomes import State, denied_of, sides_of, states_of
from fabula.pairs.features.event_classes import kinds_of
from fabula.pairs.features.facts import FACTS
from fabula.text.content_words import content_of
from fabula.text.parse.memo import ParseMemo
from fabula.text.parse.parsed import Parsed

__all__ = ["Clause", "Reading", "read_sentences"]

_LOCALITIES = frozenset(("GPE", "LOC"))
_LONGEST_PHRASE = 5  # words
_MEASURES = frozenset(("DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"))
_ACTORS = frozenset(("PERSON", "ORG", "NORP", "FAC", "GPE", "LOC", "PRODUCT"))


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb with the words of its subject and object; pronouns give no words."""

    verb: str
    subject: frozenset[str]
    object: frozenset[str]
    subject_head: str
    object_head: str
    named: frozenset[str]  # the names among the subject's words
    negated: bool
    certain: bool  # False for what might, would or should have been
    said: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one sentence tells."""

    words: frozenset[str]
    names: frozenset[str]
    clauses: tuple[Clause, ...] = ()
    states: tuple[State, ...] = ()
    people: tuple[str, ...] = ()  # names as written, of anybody or anything that can act
    text: str = ""
    claims: tuple[Claim, ...] = ()
    sides: frozenset[tuple[str, int]] = frozenset()  # of which matters it takes which side
    event_classes: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()  # stems of the words after a "no" or "not"
    parsed: Parsed | None = field(default=None, compare=False, repr=False)
    phrases: tuple[str, ...] = ()  # noun phrases without their determiners
    localities: tuple[str, ...] = ()  # names of towns, countries and the like


_CAPACITY = 20_000  # readings kept: a correction or new text reads the same pile again


def read_sentences(sentences: Sequence[str]) -> list[Reading]:
    """The readings of the sentences, parsed in batches; each text is read once a process."""
    readings = _memo(sentences)
    return [readings[text] for text in sentences]


def _read(doc: Any) -> Reading:
    tokens = [token for token in doc if not token.is_space]
    return Reading(
        words=frozenset(content_of(tokens)),
        names=frozenset(t.lower_ for t in tokens if t.pos_ == "PROPN" and len(t) > 1),
        clauses=tuple(_clauses(tokens)),
        states=tuple(states_of(tokens)),
        people=tuple(e.text for e in doc.ents if e.label_ in _ACTORS and _is_name(e)),
        text=doc.text.strip(),
        claims=claims_of(doc),
        sides=sides_of(tokens),
        event_classes=kinds_of(
            t.lemma_.lower() for t in tokens if t.pos_ in ("VERB", "NOUN", "ADJ")
        ),
        denied=denied_of(tokens),
        parsed=Parsed.of(doc),
        phrases=tuple(_noun_phrases(doc)),
        localities=tuple(e.text for e in doc.ents if e.label_ in _LOCALITIES and _is_name(e)),
    )


def _noun_phrases(doc: Any) -> Iterator[str]:
    """Noun phrases of up to five words that begin with an adjective or a noun; no times."""
    for chunk in doc.noun_chunks:
        words = list(chunk)
        if chunk.root.ent_type_ in _MEASURES:
            continue
        while words and words[0].pos_ not in ("ADJ", "NOUN", "PROPN"):
            words = words[1:]
        if words and len(words) <= _LONGEST_PHRASE and words[-1].pos_ in ("NOUN", "PROPN"):
            yield doc[words[0].i : words[-1].i + 1].text


def _is_name(entity: Any) -> bool:
    return any(token.pos_ == "PROPN" for token in entity)


def _clauses(tokens: Sequence[Any]) -> Iterator[Clause]:
    for verb in tokens:
        if verb.pos_ != "VERB" or verb.dep_ in ("amod", "compound"):
            continue
        own = clause_of(verb)
        subjects = _arguments(verb, ("nsubj", "nsubjpass")) or _borrowed(verb, tokens)
        objects = _arguments(verb, ("dobj",))
        while own and own[-1].dep_ in ("cc", "punct"):
            own.pop()
        text = "".join(token.text_with_ws for token in own).strip()
        yield Clause(
            verb=verb.lemma_.lower()
            + "".join(f" {t.lower_}" for t in verb.children if t.dep_ == "prt"),
            subject=_words(subjects),
            object=_words(objects),
            subject_head=_head(subjects),
            object_head=_head(objects),
            named=frozenset(t.lower_ for s in subjects for t in _phrase(s) if t.pos_ == "PROPN"),
            negated=_negated(verb),
            certain=is_asserted(verb.children) and not is_denied(verb),
            said=" ".join(text.split()).strip(" ,;"),
        )


def _arguments(verb: Any, roles: tuple[str, ...]) -> list[Any]:
    return [child for child in verb.children if child.dep_ in roles]


def _borrowed(verb: Any, tokens: Sequence[Any]) -> list[Any]:
    """The subject of the clause this one hangs on; else a name just before the verb, which the
    parser took for something else ("At eight Doctor Vane left")."""
    before = [t for t in tokens if t.i == verb.i - 1 and t.pos_ == "PROPN"]
    if before:
        return before
    if verb.dep_ in ("conj", "advcl", "xcomp") and verb.head.pos_ == "VERB":
        return _arguments(verb.head, ("nsubj", "nsubjpass"))
    return []


def _phrase(noun: Any) -> list[Any]:
    """A noun and what stands around it in its own phrase: compounds, adjectives, appositions."""
    found = [noun]
    for token in found:  # grows while it is read
        for child in token.children:
            if child.dep_ in ("compound", "amod", "poss", "appos", "nmod"):
                found.append(child)
            elif child.dep_ == "prep" and child.lower_ == "of":  # "the treaty of Lund"
                found += [t for t in child.children if t.dep_ == "pobj"]
    return found


def _words(nouns: Sequence[Any]) -> frozenset[str]:
    return frozenset(word for noun in nouns for word in content_of(_phrase(noun)))


def _head(nouns: Sequence[Any]) -> str:
    return next((n.lemma_.lower() for n in nouns if n.pos_ in ("NOUN", "PROPN")), "")


def _negated(verb: Any) -> bool:
    """Whether it is denied; what "did not sound until ten" did sound."""
    below = [t for t in verb.children if t.dep_ == "prep"]
    below += [m for t in verb.children if t.dep_ == "advcl" for m in t.children if m.dep_ == "mark"]
    late = any(t.lower_ in ("until", "till") for t in below)
    return any(t.dep_ == "neg" for t in verb.children) and not late


# Contradictions are judged by the facts of pairs, of the same parse.
_memo = ParseMemo(_read, capacity=_CAPACITY, whole=True, label="reading sentences", shared=(FACTS,))
