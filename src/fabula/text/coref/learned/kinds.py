"""Kinds of entity: an entity in, out whether it is a thing, and no person, body, place or vehicle.

Names say it by their type, nouns by how often LitBank annotated their lemma: it annotates those
kinds alone (those of ACE).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.text.coref.entities import Entity
from fabula.text.coref.mentions import Mention

__all__ = ["Nouns", "is_thing"]

Nouns = Mapping[str, float]  # lemma -> share of its mentions that LitBank annotates
_NAMED = frozenset("PERSON ORG NORP GPE LOC FAC".split())
_UNKNOWN = 0.15  # the share of a lemma that was not seen
_LEAST = 0.35


def is_thing(mentions: Sequence[Mention], entity: Entity, nouns: Nouns) -> bool:
    """Whether no mention of the entity says that it is a person, a body, a place or a vehicle."""
    members = [mentions[index] for index in entity.mentions]
    personal = any(m.kind == "pronoun" and (m.person < 3 or m.gender in "mf") for m in members)
    if personal or entity.entity_types & _NAMED:
        return False
    if entity.group and True in entity.animate:
        return False
    shares = [nouns.get(m.lemma, _UNKNOWN) for m in members if m.kind == "noun"]
    if shares:
        return sum(shares) / len(shares) < _LEAST
    return bool(entity.heads) or all(m.gender == "n" for m in members)
