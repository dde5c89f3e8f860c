"""Candidate antecedents of an anaphor: entities near it that agreement and binding allow."""

from __future__ import annotations

from dataclasses import dataclass

from fabula.text.coref.entities import Entities, Entity
from fabula.text.coref.learned.syntax import Syntax
from fabula.text.coref.mentions import Mention
from fabula.text.parse.parsed import Parsed

__all__ = ["Candidate", "candidates_of", "compatible", "is_anaphor"]

_REACH = 6  # sentences back
_AHEAD = 1  # sentences ahead: "In his youth, ... . Jon Hale ..."
_MAX_MENTIONS = 90  # looked at before the anaphor; bounds the time
_MAX_AHEAD = 12
_MAX_CANDIDATES = 16


@dataclass(slots=True)
class Candidate:
    """An entity and its mention nearest to the anaphor."""

    entity: Entity
    nearest: int
    ahead: bool = False


def is_anaphor(mention: Mention, entity: Entity) -> bool:
    """Whether the scorer resolves this mention of an entity (as the rules left it).

    A pronoun of the third person; or "the gunman", one person described, if it stands alone.
    """
    if mention.kind == "pronoun":
        return mention.person == 3
    return (
        mention.kind == "noun"
        and mention.definite
        and mention.animate is True
        and mention.number == "s"
        and len(entity.mentions) == 1
        and not any(modifier.endswith("'s") for modifier in mention.modifiers)
    )


def candidates_of(
    parsed: Parsed, syntax: Syntax, mentions: list[Mention], entities: Entities, index: int
) -> list[Candidate]:
    """The candidate entities of the anaphor at ``index``, nearest first, those ahead last.

    Entities of pronouns alone are none: an anaphor that means none of the others may join them.
    """
    here = parsed.sentence[mentions[index].head]
    own = entities.entity_of[index]
    found: dict[int, Candidate] = {}
    barred: set[int] = {id(own)}
    for other in range(index - 1, max(-1, index - 1 - _MAX_MENTIONS), -1):
        if here - parsed.sentence[mentions[other].head] > _REACH:
            break
        _add(parsed, syntax, mentions, entities, index, other, found, barred, ahead=False)
    for other in range(index + 1, min(len(mentions), index + 1 + _MAX_AHEAD)):
        if parsed.sentence[mentions[other].head] - here > _AHEAD:
            break
        if mentions[other].kind != "name" or mentions[index].kind != "pronoun":
            continue
        if not _commands_name(parsed, syntax, mentions[index], mentions[other]):
            _add(parsed, syntax, mentions, entities, index, other, found, barred, ahead=True)
    allowed = (c for key, c in found.items() if key not in barred)
    return sorted(allowed, key=lambda c: c.ahead)[:_MAX_CANDIDATES]


def _add(
    parsed: Parsed,
    syntax: Syntax,
    mentions: list[Mention],
    entities: Entities,
    index: int,
    other: int,
    found: dict[int, Candidate],
    barred: set[int],
    *,
    ahead: bool,
) -> None:
    entity = entities.entity_of[other]
    key = id(entity)
    if key in barred:
        return
    mention, before = mentions[index], mentions[other]
    if _bound(parsed, syntax, mention, before):
        barred.add(key)  # "Jon saw him": whoever he is, he is not Jon
        return
    if key in found:
        return
    if before.kind == "pronoun" and before.person != 3:
        named = entity.full_names or entity.heads
        if not named:
            return
    if not (entity.heads or entity.group) or syntax.nested(mention, before):
        return
    if compatible(mention, entity):
        found[key] = Candidate(entity, other, ahead)


def _commands_name(parsed: Parsed, syntax: Syntax, mention: Mention, name: Mention) -> bool:
    """Whether a name ahead cannot be meant (principle C): "he read the Mark Twain book".

    Nor can one that is denied: "his name is not Twain".
    """
    verb = parsed.heads[name.head]
    if parsed.labels[name.head] == "attr" and any(
        parsed.labels[child] == "neg" for child in parsed.children[verb]
    ):
        return True
    return (
        parsed.tags[mention.head] != "PRP$"
        and parsed.sentence[mention.head] == parsed.sentence[name.head]
        and syntax.commands(mention.head, name.head)
    )


def _bound(parsed: Parsed, syntax: Syntax, mention: Mention, before: Mention) -> bool:
    """Whether binding keeps the two apart: arguments of one verb, and no reflexive."""
    return (
        parsed.sentence[mention.head] == parsed.sentence[before.head]
        and not mention.reflexive
        and not before.reflexive
        and parsed.tags[mention.head] != "PRP$"
        and parsed.labels[before.head] != "poss"
        and before.kind != "group"
        and syntax.co_arguments(mention.head, before.head)
        and syntax.clause(mention.head) == syntax.clause(before.head)
    )


def compatible(mention: Mention, entity: Entity) -> bool:
    """Whether number, gender and animacy of a pronoun and an entity can be one's."""
    if mention.gender in ("m", "f"):
        other = "f" if mention.gender == "m" else "m"
        if other in entity.genders and mention.gender not in entity.genders:
            return False
        if entity.group or (entity.numbers and "s" not in entity.numbers):
            return False
        if entity.body and not (
            {"PERSON", mention.gender} & (entity.entity_types | entity.genders)
        ):
            return False  # "the Lions" are nobody, unless known as a person elsewhere
        named = bool(entity.full_names)
        return True in entity.animate or named or not entity.animate
    if mention.kind == "noun":
        person = True in entity.animate or (entity.full_names and not entity.animate)
        return bool(person) and not entity.group and "p" not in entity.numbers
    if mention.number == "p":
        plural = "p" in entity.numbers or entity.group or not entity.numbers
        return plural or bool(entity.animate and entity.entity_types & {"ORG", "NORP", "GPE"})
    if mention.gender == "n":
        return True not in entity.animate and not entity.group and "p" not in entity.numbers
    return True
