"""Places as prepositional phrases: "at the ford below Quarry Wood", "in hall three"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.text.content_words import content_of
from fabula.text.lexicon import words
from fabula.text.temporal.lexicon import TIME_NOUNS

__all__ = ["Place", "place_of_relative", "places_of"]

_LOCAL = frozenset(
    "at in on from beside near off by outside under behind above below inside across opposite "
    "along against between before".split()
)
_NOT_PLACES = frozenset(("TIME", "DATE", "CARDINAL", "MONEY", "PERCENT", "QUANTITY"))
_NOT_SITES = TIME_NOUNS | words("dawn dusk end beginning start order foot hand fact case way")
# Nouns that name a place, whatever stands before them.
_SITES = frozenset(
    "airport alley altar attic bank barn barracks basement bay beach bed bend boathouse bridge "
    "building cabin camp canal cape car castle cathedral cave ceiling cell cellar cemetery chapel "
    "chimney church cliff coast convent corner corridor counter court courtyard creek crossing "
    "deck depot desk ditch dock door dormitory dune factory farm fence ferry field floor ford "
    "forest fort fountain gallery garage garden gate grave greenhouse ground gully hall hangar "
    "harbour headland hedge hill hospital hotel house inn island jetty junction kilometre kitchen "
    "laboratory lake landing lane library lighthouse lobby lock market marsh meadow mill mine "
    "monastery mountain museum office orchard oven palace park pass path pavilion pier pillar "
    "pit place platform point pond pool port prison pylon quarry quay rampart ravine reef "
    "reservoir restaurant ridge river road rock roof room sandbank shoal bar valve pipe ruin "
    "school sea shaft shed shop shore "
    "side siding slope spring square stable stage stair stairs stall station step steps street "
    "swamp table tavern tent terrace theatre tower town track tree tunnel vault vestry village "
    "wall ward warehouse well wharf window wood workshop yard".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """A prepositional phrase that names a place, with the words that tell it from others."""

    preposition: str
    words: frozenset[str]
    said: str
    head: str = ""
    marks: frozenset[str] = frozenset()  # what tells it from others: "north", "three", a name
    locality: bool = False  # by its name: a town, a country, a building

    @property
    def is_named(self) -> bool:
        return any(mark[:1].isupper() for mark in self.marks)

    @property
    def is_certain(self) -> bool:
        """Whether its noun names a place, or its name is that of one."""
        return self.head in _SITES or self.locality

    def apart(self, other: Place) -> float:
        """2 for two of one kind ("hall two", "hall three"), 1 for two of different kinds, 0 where
        they may be the same."""
        if self.head == other.head:
            distinct = self.marks and other.marks and not self.marks & other.marks
            return 2.0 if distinct else 0.0
        return 0.0 if self.words & other.words else 1.0


def places_of(own: Sequence[Any]) -> Iterator[Place]:
    """Where a clause, given its tokens, says that something is or happens."""
    inside = set(own)
    for token in own:
        if token.dep_ != "prep" or token.lower_ not in _LOCAL:
            continue
        if token.head.pos_ == "NOUN" and token.head.dep_ == "pobj":
            continue  # "at the ford below the wood" is one place
        for noun in token.children:
            if noun in inside and (place := _place(token, noun)):
                yield place


def place_of_relative(verb: Any) -> Place | None:
    """The place that a clause with "where" is told of: "to the Ekra quarry, where it was found"."""
    noun = verb.head
    if verb.dep_ != "relcl" or noun.dep_ != "pobj":
        return None
    if not any(t.lower_ == "where" for t in verb.children):
        return None
    phrase = [t for t in noun.subtree if t.i <= noun.i]
    return _place(noun.head, noun, [noun.head, *phrase])


def _place(preposition: Any, noun: Any, phrase: Sequence[Any] | None = None) -> Place | None:
    if noun.dep_ != "pobj" or noun.pos_ not in ("NOUN", "PROPN"):
        return None
    if noun.ent_type_ in _NOT_PLACES or noun.lemma_.lower() in _NOT_SITES:
        return None
    phrase = phrase or [preposition, *noun.subtree]
    words = frozenset(content_of(phrase))
    if not words:
        return None
    said = "".join(t.text_with_ws for t in sorted(phrase, key=lambda t: t.i)).strip(" ,;")
    locality = noun.ent_type_ in ("GPE", "LOC", "FAC")
    marks = frozenset(_marks(noun))
    return Place(preposition.lower_, words, said, noun.lemma_.lower(), marks, locality)


def _marks(noun: Any) -> Iterator[str]:
    """What tells a place from others of its kind; names keep their capitals."""
    if noun.pos_ == "PROPN":
        yield noun.text
    for child in noun.children:
        if child.dep_ in ("compound", "amod", "nummod", "poss", "appos", "nmod"):
            yield child.text if child.pos_ == "PROPN" else child.lower_
            yield from (t.text for t in child.children if t.pos_ == "PROPN")
        elif child.dep_ == "prep" and child.lower_ == "of":
            yield from (t.text for t in child.subtree if t.pos_ in ("PROPN", "NOUN"))
