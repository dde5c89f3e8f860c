"""Actors and deeds: the sentences of a story in, who acts in it and who did what out.

People, organisations and described persons ("the gunman") that act or are acted upon. Aliases are
merged within a document by coreference, across documents by name and description. Newspapers and
agencies that only report are no actors.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.assembly.facts.deeds import DocumentDeeds, Part, SentenceDeed, read_deeds
from fabula.assembly.facts.reading import Reading
from fabula.assembly.pile import Piece
from fabula.text.coref import CERTAIN
from fabula.text.coref.agreement import INDEFINITE, TITLES
from fabula.text.coref.speech import Speakers
from fabula.text.lexicon import CLAIM_VERBS, SPEECH_VERBS, words
from fabula.types import Actor, Deed

__all__ = ["StorySentence", "actors_of", "deeds_of", "story_sentences"]

StorySentence = tuple[DocumentDeeds, int]  # a document as read, and the number of its sentence

_MAX_ACTORS = 12
_ARTICLES = words("the a an our my his her its their this that")
# Before a name they are no part of it; "King George" and "Pope Pius" are names.
_TITLES = (TITLES | words("detective inspector constable sgt. lt. capt. col.")) - words(
    "king queen prince princess emperor empress pope saint sultan tsar sheikh lord lady sir dame"
)
_REPORTS = SPEECH_VERBS | CLAIM_VERBS | words("publish quote cite broadcast show release")
_MEDIA = re.compile(
    r"\b(reuters|associated press|ap|afp|agence france-presse|bbc|cnn|xinhua|tass|interfax|"
    r"bloomberg|al jazeera|guardian|fox news|sky news|wikinews|times|post|herald|tribune|gazette|"
    r"telegraph|news agency|newspaper|news|daily|journal|chronicle|observer|mirror)$",
    re.IGNORECASE,
)


def story_sentences(
    ordered: Sequence[int], pieces: Sequence[Piece], readings: Sequence[Reading]
) -> list[StorySentence]:
    """The sentences of a story, given by index in story order, read in their documents' order.

    ``pieces`` and ``readings`` are those of the whole pile. What stands between a document's
    sentences but in another story is left out, so that "he" is sought in the story alone. A
    conversation is read as a document, in which "I" is the sender of the message.
    """
    groups: dict[Any, list[int]] = {}
    for index in sorted(ordered):
        sentence, conversation = pieces[index].sentence, pieces[index].conversation
        document_of = (sentence.source, sentence.document)
        groups.setdefault(conversation if conversation is not None else document_of, []).append(
            index
        )
    found: dict[int, StorySentence] = {}
    for group in groups.values():
        group = [i for i in group if readings[i].parsed is not None]
        parses = [parsed for i in group if (parsed := readings[i].parsed) is not None]
        turns = [(pieces[i].sender, pieces[i].turn) for i in group]
        speakers = [
            Speakers(sender, turn.addressee, turn.certainty) for sender, turn in turns if turn
        ]
        document = read_deeds(parses, speakers or None)
        found.update({index: (document, number) for number, index in enumerate(group)})
    return [found[index] for index in ordered]


@dataclass(slots=True)
class _Merged:
    """An actor while the entities of all documents are merged."""

    name: str
    kinds: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    positions: set[int] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)  # verbs it is the doer of
    suffered: int = 0
    generic: bool = True


def actors_of(
    sentences: Sequence[StorySentence], corrections: Iterable[Mapping[str, Any]] = ()
) -> tuple[Actor, ...]:
    """The actors of a story's sentences (in story order, positions from 1), busiest first.

    ``corrections`` are entries that join, split or rename actors (``assembly.corrections``).
    """
    merged = _merge(sentences, _naming(sentences, list(corrections)))
    acting = [actor for actor in merged.values() if _acts(actor)]
    # "The man", "two people" and "the police" say nothing of who it was, unless nobody else acts.
    told = [actor for actor in acting if not actor.generic]
    acting = told if any(actor.done for actor in told) else acting
    ranked = sorted(
        acting,
        key=lambda a: (
            -len(a.positions) - a.done.total() - 0.5 * a.suffered - 2 * a.name[:1].isupper(),
            a.name,
        ),
    )
    return tuple(
        Actor(
            actor.name,
            tuple(sorted(actor.positions)),
            actor.kinds.most_common(1)[0][0],
            tuple(name for name, _ in actor.names.most_common() if name != actor.name),
        )
        for actor in ranked[:_MAX_ACTORS]
    )


def deeds_of(
    sentences: Sequence[StorySentence], corrections: Iterable[Mapping[str, Any]] = ()
) -> tuple[Deed, ...]:
    """Every deed of a story's sentences with its position, standing and certainty."""
    name_of = _naming(sentences, list(corrections))
    deeds = []
    for position, (document, number) in enumerate(sentences, 1):
        for deed in document.sentences[number]:
            parts = (*deed.doers, *deed.undergoers)
            deeds.append(
                Deed(
                    position,
                    deed.verb,
                    " and ".join(_shown(part, position, document, name_of) for part in deed.doers),
                    " and ".join(
                        _shown(part, position, document, name_of) for part in deed.undergoers
                    ),
                    deed.negated,
                    deed.standing,
                    _shown(deed.said_by, position, document, name_of) if deed.said_by else "",
                    _actor(deed.doers, position, document, name_of),
                    _actor(deed.undergoers, position, document, name_of),
                    all(part.certainty >= CERTAIN for part in parts),
                )
            )
    return tuple(deeds)


_INITIALS = re.compile(r"\b(?:[A-Z]\.){2,}")  # "U.S.", which others write "US"


class _Names:
    """The actor of an entity of a document, in a sentence at a position of the story."""

    def __init__(self) -> None:
        self.by_entity: dict[tuple[int, int], str] = {}
        self.by_position: dict[tuple[str, int], str] = {}

    def find(self, document: DocumentDeeds, entity: int, position: int) -> str:
        name = self.by_entity.get((id(document), entity), "")
        return self.by_position.get((name, position), name)


def _naming(sentences: Sequence[StorySentence], corrections: list[Mapping[str, Any]]) -> _Names:
    """Names of actors: entities of all documents merged by name and description."""
    names = _Names()
    documents = {id(document): document for document, _ in sentences}
    groups: dict[str, list[tuple[int, int]]] = defaultdict(list)
    things = {
        _normalised(entity.name)
        for document in documents.values()
        for entity in document.entities
        if entity.named_thing
    }
    for key, document in documents.items():
        for number, entity in enumerate(document.entities):
            if " and " in entity.name:
                continue  # "Ann and Bo": each is an actor
            if entity.name.lower() in INDEFINITE:
                continue  # "nobody"
            if entity.names and _normalised(entity.name) in things:
                continue  # elsewhere it is said to be a ship
            if entity.kind == "unknown" or (entity.kind == "thing" and not entity.names):
                continue
            name = _normalised(entity.name)
            if entity.kind != "person":
                name = _INITIALS.sub(lambda found: found[0].replace(".", ""), name)
            groups[f"{entity.kind}:{name}"].append((key, number))
    full, spellings = _full_names(groups), _spellings(groups)
    for group, members in groups.items():
        kind, _, name = full[group].partition(":")
        if kind != "thing":
            names.by_entity.update(dict.fromkeys(members, spellings[name.lower()]))
    _correct(names, corrections)
    return names


def _full_names(groups: Iterable[str]) -> dict[str, str]:
    """A shorter name of a person -> the one longer name that ends, or else begins, with it.

    A name that the parser took for something else ("Vane") is a person's if it ends one.
    """
    found: dict[str, str] = {}
    for group in sorted(groups, key=lambda g: (-len(g.partition(":")[2]), g)):
        _, _, name = group.partition(":")
        plain = {o: o.partition(":")[2] for o in found if o.startswith("person:")}
        others = [o for o, other in plain.items() if name[:1].isupper() and len(other) > len(name)]
        person = group.startswith("person:")
        ending = [o for o in others if f" {plain[o]}".endswith(f" {name}")]
        beginning = [o for o in others if person and f"{plain[o]} ".startswith(f"{name} ")]
        longer = {found[o] for o in (ending or beginning)}
        found[group] = longer.pop() if len(longer) == 1 else group
    return found


def _spellings(groups: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """A name in small letters -> the commonest way to write it: "SEACOM" and "Seacom" are one."""
    ways: dict[str, Counter[str]] = defaultdict(Counter)
    for group, members in groups.items():
        name = group.partition(":")[2]
        ways[name.lower()][name] += len(members)
    return {
        name: min(found, key=lambda way: (-found[way], way.isupper(), way))
        for name, found in ways.items()
    }


def _correct(names: _Names, corrections: Iterable[Mapping[str, Any]]) -> None:
    """Replay the user's joins, splits and renamings of actors."""
    for entry in corrections:
        if entry["do"] == "join-actors":
            first, *others = entry["actors"]
            _rename(names, dict.fromkeys(others, first))
        elif entry["do"] == "rename-actor":
            _rename(names, {entry["actor"]: entry["name"]})
        elif entry["do"] == "split-actor":
            for position in entry["positions"]:
                names.by_position[entry["actor"], position] = entry["name"]


def _rename(names: _Names, new: Mapping[str, str]) -> None:
    names.by_entity = {key: new.get(name, name) for key, name in names.by_entity.items()}
    names.by_position = {
        (new.get(old, old), position): new.get(name, name)
        for (old, position), name in names.by_position.items()
    }


def _merge(sentences: Sequence[StorySentence], names: _Names) -> dict[str, _Merged]:
    merged: dict[str, _Merged] = {}

    def actor(document: DocumentDeeds, entity: int | None, position: int) -> _Merged | None:
        name = "" if entity is None else names.find(document, entity, position)
        if not name or entity is None:
            return None
        found = merged.setdefault(name, _Merged(name))
        found.kinds[document.entities[entity].kind] += 1
        found.generic = found.generic and document.entities[entity].generic
        return found

    for position, (document, number) in enumerate(sentences, 1):
        for index, entity in enumerate(document.entities):
            if number in entity.sentences and (found := actor(document, index, position)):
                found.positions.add(position)
                found.names.update(entity.names or (entity.name,))
        for deed in document.sentences[number]:
            _count(deed, document, position, actor)
    return merged


def _count(deed: SentenceDeed, document: DocumentDeeds, position: int, actor: Any) -> None:
    for part in deed.doers:
        if part.certainty >= CERTAIN and (found := actor(document, part.entity, position)):
            found.done[deed.verb] += 1
    for part in deed.undergoers:
        if part.certainty >= CERTAIN and (found := actor(document, part.entity, position)):
            found.suffered += 1


def _acts(actor: _Merged) -> bool:
    """Whether this is an actor: it does or undergoes something, and not only reports it."""
    kind = actor.kinds.most_common(1)[0][0]
    if kind != "person" and set(actor.done) <= _REPORTS and _MEDIA.search(actor.name):
        return False
    if kind == "place":
        return bool(actor.done)
    return bool(actor.done or actor.suffered) or (kind == "person" and len(actor.positions) > 1)


def _shown(part: Part, position: int, document: DocumentDeeds, names: _Names) -> str:
    """The words used; a pronoun with the name it stands for, in doubt if that is doubtful."""
    if part.entity is None:
        return f"({part.words}?)" if part.understood else part.words
    entity = document.entities[part.entity]
    name = names.find(document, part.entity, position) or entity.name
    if part.certainty < CERTAIN:
        return f"({name}?)" if part.understood else f"{part.words.lower()} ({name}?)"
    return name if entity.kind != "thing" else part.words


def _actor(parts: Sequence[Part], position: int, document: DocumentDeeds, names: _Names) -> str:
    found = (names.find(document, p.entity, position) for p in parts if p.entity is not None)
    return next((name for name in found if name), "")


def _normalised(name: str) -> str:
    """The name without possessive ending, article, title and leading lower-case words."""
    name = re.sub(r" \(\d+\)$", "", " ".join(name.split()))  # "police (2)": another of that name
    parts = name.removesuffix("'s").removesuffix("’s").split(" ")
    described = all(word.islower() for word in parts) and parts[0] in _ARTICLES
    proper = not all(word.islower() for word in parts)
    while len(parts) > 1 and (
        parts[0].lower() in _ARTICLES | _TITLES
        or (proper and parts[0].islower())  # "below Quarry Wood"
    ):
        parts = parts[1:]
    return f"the {' '.join(parts)}" if described else " ".join(parts)
